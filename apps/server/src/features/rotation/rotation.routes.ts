// Binds the rotation endpoints to their handlers.
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
import { reconcileAccount, rotateAccount, rotateCredential } from "./enqueue-rotation.ts";
import { cancelRotation } from "./cancel-rotation.ts";
import { addDependent, findDependents, removeDependent, updateDependent } from "./dependents/dependents.ts";
import { ofAccount, ofCredential, readOne } from "./read-rotations.ts";
import { cancelOwnRun, listOwnRuns, readOwnRun, rotateSeveral } from "./runs/run-rotations.ts";
import type { RotationContext } from "./context.ts";

export function bindRotation(context: RotationContext): void {
  const { kernel } = context;
  implement(kernel, rotateCredentialEndpoint, (call, tx) => rotateCredential(context, call, tx));
  implement(kernel, rotateAccountEndpoint, (call, tx) => rotateAccount(context, call, tx));
  implement(kernel, reconcileEndpoint, (call, tx) => reconcileAccount(context, call, tx));
  implement(kernel, listCredentialRotations, ofCredential);
  implement(kernel, listAccountRotations, (call, db) => ofAccount(context, call, db));
  implement(kernel, readRotation, (call, db) => readOne(context, call, db));
  implement(kernel, cancelEndpoint, (call, tx) => cancelRotation(context, call, tx));
  implementInSteps(kernel, severalEndpoint, (call) => rotateSeveral(context, call));
  implement(kernel, listDependents, (call, db) => findDependents(context, call, db));
  implementInSteps(kernel, addEndpoint, (call) => addDependent(context, call));
  implement(kernel, removeEndpoint, (call, tx) => removeDependent(context, call, tx));
  implement(kernel, updateEndpoint, (call, tx) => updateDependent(context, call, tx));
  implement(kernel, listRotationRuns, listOwnRuns);
  implement(kernel, readRotationRun, readOwnRun);
  implement(kernel, cancelRotationRun, (call, tx) => cancelOwnRun(context, call, tx));
}
