// Binds the calls about API tokens and machine identities to their use cases.
import {
  createMachine,
  createMachineToken,
  createToken,
  listMachines,
  listOwnTokens,
  listTokensOf,
  readTokenPolicy as readEndpoint,
  revokeToken,
  updateMachine,
  updateTokenPolicy,
} from "@strongroom/contract";
import { implement } from "#kernel/http/implement.ts";
import type { Kernel } from "#kernel/kernel.ts";
import { changeMachine, findMachines, makeMachine } from "./machines/machines.ts";
import { readTokenPolicy } from "./tokens.store.ts";
import { changePolicy, listOf, listOwn, makeForMachine, makeOwn, revoke } from "./tokens.ts";

export function bindTokens(kernel: Kernel): void {
  implement(kernel, listOwnTokens, (call, db) => listOwn(kernel, call, db));
  implement(kernel, createToken, (call, tx) => makeOwn(kernel, call, tx));
  implement(kernel, revokeToken, (call, tx) => revoke(kernel, call, tx));
  implement(kernel, readEndpoint, (_call, db) => readTokenPolicy(db));
  implement(kernel, updateTokenPolicy, (call, tx) => changePolicy(call, tx));
  implement(kernel, listMachines, (call, db) => findMachines(kernel, call, db));
  implement(kernel, createMachine, (call, tx) => makeMachine(kernel, call, tx));
  implement(kernel, updateMachine, (call, tx) => changeMachine(kernel, call, tx));
  implement(kernel, createMachineToken, (call, tx) => makeForMachine(kernel, call, tx));
  implement(kernel, listTokensOf, (call, db) => listOf(kernel, call, db));
}
