// Git repositories over HTTPS: verifies tokens and reads all versions of files (the git program, which must be installed).
import type { Secret } from "@strongroom/keys";
import { attempt, inTime, type Attempt } from "../attempt.ts";
import { REPOSITORIES_PARAMETER } from "./parameter.ts";
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
  parameters: [REPOSITORIES_PARAMETER, ...REQUIRED_TLS_PARAMETERS],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifyHttps } = await import("./https-access.ts");
    return attempt(context, (current) => verifyHttps(target, secret.reveal(), current));
  },
  filesBegin: "git:",
  async readFiles(target: Target, secret: Secret, search: FileSearch, reader: FileReader, context: VerifyContext) {
    const [{ httpsSource }, { readRepositories }] = await Promise.all([
      import("./https-access.ts"),
      import("./read-repositories.ts"),
    ]);
    const read = async (current: Attempt) =>
      readRepositories(httpsSource(target, secret.reveal(), current), search, reader, current);
    return inTime<ReadFilesFinding>(context, read, (failure) => failure);
  },
};
