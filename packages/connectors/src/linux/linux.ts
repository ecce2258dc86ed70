// Linux and Unix accounts, and everything else with an SSH login (ssh2).
import type { Secret } from "@strongroom/keys";
import { attemptChange, inTime, type Attempt } from "../attempt.ts";
import type { Connector, ReadFilesFinding, Target, VerifyContext } from "../connector.ts";
import type { FileReader, FileSearch } from "../file-search.ts";
import { passwordCapabilities } from "../password-capabilities.ts";

/**
 * Facts of `verified`: `hostKey` (pin it when none is pinned), `isFirstUse`, `method`, `runsCommands`. Facts of the
 * alarm `host-key-changed`: `hostKey`, `pinnedHostKey`.
 */
export const linux: Connector = {
  id: "linux",
  name: "Linux or Unix over SSH",
  icon: "terminal",
  defaultPort: 22,
  types: ["ssh", "server", "password"],
  protocols: [{ value: "ssh", label: "SSH", port: 22 }],
  parameters: [],
  proven: true,
  passwordLimits: { maxLength: 128 },
  ...passwordCapabilities({
    verify: async () => (await import("./verify-login.ts")).verifyLogin,
    change: async () => (await import("./change-secret.ts")).changeSecret,
    reconcile: async () => (await import("./reconcile.ts")).reconcilePassword,
    checkReconcile: async () => (await import("./reconcile.ts")).checkRight,
    list: async () => (await import("./list-accounts.ts")).listUsers,
  }),
  async newSecret(current: Secret) {
    const { newKeyPair } = await import("./key-pair.ts");
    return newKeyPair(current);
  },
  async retire(target: Target, current: Secret, retired: Secret, context: VerifyContext) {
    const [used, old] = [current.reveal(), retired.reveal()];
    const { retireSecret } = await import("./change-secret.ts");
    return attemptChange(context, (attempted) => retireSecret(target, used, old, attempted));
  },
  async readFiles(target: Target, secret: Secret, search: FileSearch, reader: FileReader, context: VerifyContext) {
    const value = secret.reveal();
    const { readFilesOf } = await import("./files/read-files.ts");
    const read = (current: Attempt) => readFilesOf(target, value, search, reader, current);
    return inTime<ReadFilesFinding>(context, read, (failure) => failure);
  },
};
