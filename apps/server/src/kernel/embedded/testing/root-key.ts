// A root key for backup tests, with its seal record and the function that computes a manifest's MAC.
import { RootKey, backupMac } from "@strongroom/keys";
import type { KeyFileSealRecord } from "@strongroom/keys";
import type { FindMac } from "../backup-manifest.ts";

export function aRootKey(): { seal: KeyFileSealRecord; findMac: FindMac } {
  const root = RootKey.generate();
  return {
    seal: { version: 1, provider: "key-file", rootKeyId: root.id },
    findMac: async () => (message) => backupMac(root, message),
  };
}
