// The SSH user CA: certificates instead of stored secrets for sessions on targets that trust it.
import { activateSshCaKey, createSshCaKey, deleteSshCaKey, listSshCaKeys } from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { activateCaKey, addCaKey, findCaKeys, removeCaKey } from "./ca-keys.ts";

export function installSshCa(kernel: Kernel): void {
  implement(kernel, listSshCaKeys, (_call, db) => findCaKeys(kernel, db));
  implement(kernel, createSshCaKey, (call, tx) => addCaKey(kernel, call, tx));
  implement(kernel, activateSshCaKey, (call, tx) => activateCaKey(kernel, call, tx));
  implement(kernel, deleteSshCaKey, (call, tx) => removeCaKey(kernel, call, tx));
}

export { certifySession } from "./session-certificate.ts";
export type { SessionCertificate } from "./session-certificate.ts";
