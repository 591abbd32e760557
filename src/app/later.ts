/** A value that some parts need before it exists. */
export interface Later<T> {
  readonly value: Promise<T>;
  /** Call it once. */
  settle(value: Promise<T>): void;
}

export function createLater<T>(): Later<T> {
  let settle: (value: Promise<T>) => void = () => {};
  const value = new Promise<T>((resolve) => {
    settle = resolve;
  });
  return { value, settle };
}
