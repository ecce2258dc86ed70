// Why the server cannot start, in one plain sentence for the person at the terminal.

/** Its message is printed as it is, without a stack, and the process ends with a non-zero exit. */
export class StartError extends Error {
  override name = "StartError";
}
