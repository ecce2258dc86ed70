// Git repositories over SSH: verifies keys and passwords, and reads all versions of files (the git program, which must be installed).
import type { Secret } from "@strongroom/keys";
import { attempt, inTime, type Attempt } from "../attempt.ts";
import type { Connector, ReadFilesFinding, Target, VerifyContext } from "../connector.ts";
import type { FileReader, FileSearch } from "../file-search.ts";
import { REPOSITORIES_PARAMETER } from "./parameter.ts";

/**
 * The secret is a password, a private key, or JSON with `private_key` and `passphrase`. `additional_params`:
 * `repositories` (paths on the host, separated by commas). Facts of `verified` and of reading: `hostKey`.
 */
export const gitSsh: Connector = {
  id: "git-ssh",
  name: "Git repository over SSH",
  icon: "web",
  types: [],
  protocols: [{ value: "git-ssh", label: "Git repository (SSH)", port: 22 }],
  parameters: [REPOSITORIES_PARAMETER],
  proven: true,
  async verify(target: Target, secret: Secret, context: VerifyContext) {
    const { verifySsh } = await import("./ssh-access.ts");
    return attempt(context, (current) => verifySsh(target, secret.reveal(), current));
  },
  filesBegin: "git:",
  async readFiles(target: Target, secret: Secret, search: FileSearch, reader: FileReader, context: VerifyContext) {
    const [{ sshSource }, { readRepositories }] = await Promise.all([
      import("./ssh-access.ts"),
      import("./read-repositories.ts"),
    ]);
    const read = async (current: Attempt) =>
      readRepositories(await sshSource(target, secret.reveal(), current), search, reader, current);
    return inTime<ReadFilesFinding>(context, read, (failure) => failure);
  },
};
