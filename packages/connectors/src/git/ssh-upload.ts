// The command that sends a repository over SSH, and how its answers are read.
import type { Client, ClientChannel } from "ssh2";
import type { Failure } from "../connector.ts";
import { misconfigured, rejected } from "../finding.ts";
import { openChannel } from "../linux/files/channel.ts";

export interface UploadAt {
  where: string;
  repository: string;
}

/** The command of a repository. `repositoriesOf` has checked that the path has no quotes. */
export const openUpload = (client: Client, repository: string): Promise<ClientChannel | null> =>
  openChannel(client, `git-upload-pack '${repository}'`);

/** The length of a packet, in hexadecimal. */
export const isPacket = (bytes: Buffer): boolean => /^[0-9a-f]{4}$/.test(bytes.toString("latin1", 0, 4));

export const noCommands = ({ where }: UploadAt): Failure =>
  misconfigured("no-permission", `${where} does not let the login run git-upload-pack.`);

/** The failure of a command that sent no list of branches, according to its standard error. */
export function uploadFailure(text: string, { where, repository }: UploadAt): Failure {
  if (/denied|not allowed|forbidden|permission/i.test(text))
    return rejected("no-permission", `${where} does not let the login read ${repository}.`);
  if (/not found|does not exist|not appear to be a git repository|no such/i.test(text))
    return misconfigured("unexpected-status", `${where} has no repository ${repository}, or the login may not see it.`);
  return misconfigured("protocol-error", `${where} does not answer as a Git server does for ${repository}.`);
}
