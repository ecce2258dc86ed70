// Git repositories over HTTPS: verifies tokens and reads all versions of files (the git program, which must be installed).
import type { Secret } from "@strongroom/keys";
import { attempt, inTime, type Attempt } from "../attempt.ts";
import type { Connector, ReadFilesFinding, Target, VerifyContext } from "../connector.ts";
import type { FileReader, FileSearch } from "../file-search.ts";
import { REQUIRED_TLS_PARAMETERS } from "../tls-settings.ts";

/**
 * The secret is a password or a token, sent as HTTP Basic with the entry's user name, or `git` without one.
 * `additional_params`: `repositories` (paths on the server, separated by commas), `sslmode`, `ca`, `servername`.
 */
export const git: Connector = {
  id: "git",
  name: "Git repository",
  icon: "web",
  types: [],
  protocols: [{ value: "git", label: "Git repository (HTTPS)", port: 443 }],
  parameters: [
    {
      kind: "text",
      name: "repositories",
      label: "Repositories",
      help: "Paths on the server, separated by commas",
      placeholder: "team/app.git, team/site.git",
      max_length: 5_000,
    },
    ...REQUIRED_TLS_PARAMETERS,
  ],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyAccess } = await import("./verify-access.ts");
    return attempt(context, (current) => verifyAccess(target, secret.reveal(), current));
  },
  filesBegin: "git:",
  async readFiles(target: Target, secret: Secret, search: FileSearch, reader: FileReader, context: VerifyContext) {
    const { readRepositories } = await import("./read-repositories.ts");
    const read = (current: Attempt) => readRepositories(target, secret.reveal(), search, reader, current);
    return inTime<ReadFilesFinding>(context, read, (failure) => failure);
  },
};
