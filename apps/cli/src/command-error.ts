// Why a command could not do its work, in one plain sentence for the person at the terminal.

/** Its message is printed as it is, and the command ends with `status`. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly status: number;

  constructor(message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = options.status ?? 1;
  }
}

/** The command was not called as it wants to be: how it is called is printed too, and the exit status is 2. */
export class UsageError extends CommandError {
  override name = "UsageError";

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, status: 2 });
  }
}
