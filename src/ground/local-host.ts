/** Whether only programs on this machine can reach a server that listens on this address. */
export function isLoopback(address: string): boolean {
  return /^(127\.|::1$|localhost$)/.test(address);
}

/** Whether a server that listens on this address is reached at every address of the machine. */
export function isUnspecified(address: string): boolean {
  return address === "0.0.0.0" || address === "::";
}

/**
 * Whether a Host header has a name of the local machine. Any other name may belong to a web page whose domain resolves
 * to this address (DNS rebinding).
 */
export function isOwnName(host: string): boolean {
  return /^(?:localhost|127\.0\.0\.1|\[::1\])(?::\d+)?$/i.test(host);
}
