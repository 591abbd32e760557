/** The archive of a build is refused; the message says why, for the person who uploads it. */
export class InvalidBuild extends Error {
  override readonly name = "InvalidBuild";
}
