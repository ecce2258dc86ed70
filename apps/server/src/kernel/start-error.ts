// An error whose one-sentence message explains to the operator why the server cannot start.

/** The message is printed without a stack trace, and the process exits with a non-zero status. */
export class StartError extends Error {
  override name = "StartError";
}
