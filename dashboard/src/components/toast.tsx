import { createContext, type ReactNode, use, useCallback, useState } from "react";

interface Shown {
  readonly id: number;
  readonly text: string;
}

const shownForMs = 6_000;
const Say = createContext<(text: string) => void>(() => {});

/** Shows a short sentence for some seconds, and reads it to those who listen. */
export function useToast(): (text: string) => void {
  return use(Say);
}

export function ToastProvider({ children }: { children: ReactNode }) {
  const [shown, setShown] = useState<readonly Shown[]>([]);
  const say = useCallback((text: string) => {
    const id = performance.now();
    setShown((before) => [...before.slice(-2), { id, text }]);
    setTimeout(() => setShown((before) => before.filter((toast) => toast.id !== id)), shownForMs);
  }, []);
  return (
    <Say value={say}>
      {children}
      <div className="toasts" role="status" aria-live="polite">
        {shown.map(({ id, text }) => (
          <p key={id}>{text}</p>
        ))}
      </div>
    </Say>
  );
}
