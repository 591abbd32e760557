/** Whether only programs on this machine can reach what listens there. */
export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(address);
}

/** Whether a Host header names this machine as its own programs do. Any other may be a page that had its name point here. */
export function isOwnName(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host);
}
