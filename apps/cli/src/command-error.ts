// Why a command failed, in one plain sentence for the user.

/** The message of this error is printed unchanged, and the command exits with `status`. */
export class CommandError extends Error {
  override name = "CommandError";
  readonly status: number;

  constructor(message: string, options: ErrorOptions & { status?: number } = {}) {
    super(message, options);
    this.status = options.status ?? 1;
  }
}

/** Invalid usage: the usage is printed too, and the exit status is 2. */
export class UsageError extends CommandError {
  override name = "UsageError";

  constructor(message: string, options: ErrorOptions = {}) {
    super(message, { ...options, status: 2 });
  }
}
