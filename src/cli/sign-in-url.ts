/** After the `#`, which browsers send to no server: the code is in no log and no Referer. */
export function toSignInUrl(serviceUrl: string, code: string): string {
  return `${serviceUrl}/#sign-in=${code}`;
}
