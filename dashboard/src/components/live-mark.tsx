/** Says whether what is shown is as of now. */
export function LiveMark({ isLive, isLoaded }: { isLive: boolean; isLoaded: boolean }) {
  const text = isLive
    ? isLoaded
      ? "Live"
      : "Loading …"
    : isLoaded
      ? "Connection lost, trying again …"
      : "Connecting …";
  return (
    <span className={isLive && isLoaded ? "live-mark live" : "live-mark"}>
      <span className="live-dot" aria-hidden="true" />
      {text}
    </span>
  );
}
