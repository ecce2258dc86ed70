// Binds the calls about rotation to their use cases.
import {
  addDependent as addEndpoint,
  cancelRotation as cancelEndpoint,
  cancelRotationRun,
  listAccountRotations,
  listCredentialRotations,
  listDependents,
  listRotationRuns,
  readRotation,
  readRotationRun,
  removeDependent as removeEndpoint,
  reconcileAccount as reconcileEndpoint,
  rotateAccount as rotateAccountEndpoint,
  rotateCredential as rotateCredentialEndpoint,
  rotateSeveral as severalEndpoint,
  updateDependent as updateEndpoint,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import { reconcileAccount, rotateAccount, rotateCredential } from "./ask-rotation.ts";
import { cancelRotation } from "./cancel-rotation.ts";
import { addDependent, findDependents, removeDependent, updateDependent } from "./keep-dependents.ts";
import { ofAccount, ofCredential, readOne } from "./read-rotations.ts";
import { cancelOwnRun, listOwnRuns, readOwnRun, rotateSeveral } from "./run-rotations.ts";
import type { Site } from "./site.ts";

export function bindRotation(site: Site): void {
  const { kernel } = site;
  implement(kernel, rotateCredentialEndpoint, (call, tx) => rotateCredential(site, call, tx));
  implement(kernel, rotateAccountEndpoint, (call, tx) => rotateAccount(site, call, tx));
  implement(kernel, reconcileEndpoint, (call, tx) => reconcileAccount(site, call, tx));
  implement(kernel, listCredentialRotations, ofCredential);
  implement(kernel, listAccountRotations, (call, db) => ofAccount(site, call, db));
  implement(kernel, readRotation, (call, db) => readOne(site, call, db));
  implement(kernel, cancelEndpoint, (call, tx) => cancelRotation(site, call, tx));
  implementInSteps(kernel, severalEndpoint, (call) => rotateSeveral(site, call));
  implement(kernel, listDependents, (call, db) => findDependents(site, call, db));
  implementInSteps(kernel, addEndpoint, (call) => addDependent(site, call));
  implement(kernel, removeEndpoint, (call, tx) => removeDependent(site, call, tx));
  implement(kernel, updateEndpoint, (call, tx) => updateDependent(site, call, tx));
  implement(kernel, listRotationRuns, listOwnRuns);
  implement(kernel, readRotationRun, readOwnRun);
  implement(kernel, cancelRotationRun, (call, tx) => cancelOwnRun(site, call, tx));
}
