// The worker thread that finds the secrets of findings in a file again. A file that takes long delays no other work of the server.
import { scanText } from "@strongroom/detectors";
import { createHmac } from "node:crypto";

export interface FileToSearch {
  path: string;
  content: Uint8Array | string;
  /** In base64url. */
  fingerprintKey: string;
  /** The fingerprints of the wanted secrets. */
  wanted: readonly string[];
}

export interface FoundSecret {
  fingerprint: string;
  line: number;
  host: string | null;
  port: number | null;
  value: string;
}

/** INVARIANT: only the wanted secrets leave this thread. */
export default function findSecrets({ path, content, fingerprintKey, wanted }: FileToSearch): FoundSecret[] {
  const key = Buffer.from(fingerprintKey, "base64url");
  const fingerprint = (value: string) => createHmac("sha256", key).update(value, "utf8").digest("base64url");
  return [...scanText(content, { path, fingerprint })].flatMap((found) =>
    found.fingerprint !== null && wanted.includes(found.fingerprint)
      ? [
          {
            fingerprint: found.fingerprint,
            line: found.line,
            host: found.host,
            port: found.port,
            value: found.reveal(),
          },
        ]
      : [],
  );
}
