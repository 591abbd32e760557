/** The product's sign: a doorway within a doorway. */
export function Mark() {
  return (
    <svg className="mark" viewBox="0 0 32 32" width="32" height="32" aria-hidden="true">
      <rect width="32" height="32" rx="7" />
      <path className="outer" d="M8 25V13a8 8 0 0 1 16 0v12" />
      <path className="inner" d="M13 25v-9a3 3 0 0 1 6 0v9" />
    </svg>
  );
}
