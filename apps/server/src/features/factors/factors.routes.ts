// Binds the calls of second factors, the second step and the step-up to their use cases.
import {
  addFactor,
  addFirstFactor,
  beginFactor,
  beginFirstFactor,
  beginPasskeySignIn,
  beginStepUp,
  completeSignIn,
  listFactors,
  removeFactor,
  renewRecoveryCodes,
  resetFactors,
  signInWithPasskey,
  stepUp,
} from "@strongroom/contract";
import { implement, implementInSteps } from "#kernel/http/implement.ts";
import type { FactorsContext } from "./context.ts";
import { addOwn, beginOwn, list, removeOwn, renewCodes } from "./own-factors.ts";
import { askForAnyPasskey, enterWithPasskey } from "./methods/passkey-sign-in.ts";
import { reset } from "./reset-factors.ts";
import { addFirst, beginFirst, complete } from "./proofs/second-step.ts";
import { describeStepUp, proveAgain } from "./proofs/step-up.ts";

export function bindFactors(parts: FactorsContext): void {
  const { kernel } = parts;
  implement(kernel, listFactors, (call, db) => list(call, db));
  implementInSteps(kernel, beginFactor, (call, db) => beginOwn(parts, call, db));
  implementInSteps(kernel, addFactor, (call, db) => addOwn(parts, call, db));
  implement(kernel, removeFactor, (call, tx) => removeOwn(call, tx));
  implement(kernel, renewRecoveryCodes, (call, tx) => renewCodes(parts, call, tx));
  implement(kernel, resetFactors, (call, tx) => reset(parts, call, tx));
  implementInSteps(kernel, completeSignIn, (call, db) => complete(parts, call, db));
  implementInSteps(kernel, beginFirstFactor, (call, db) => beginFirst(parts, call, db));
  implementInSteps(kernel, addFirstFactor, (call, db) => addFirst(parts, call, db));
  implement(kernel, beginPasskeySignIn, () => askForAnyPasskey(parts));
  implementInSteps(kernel, signInWithPasskey, (call, db) => enterWithPasskey(parts, call, db));
  implement(kernel, beginStepUp, (call, db) => describeStepUp(parts, call, db));
  implementInSteps(kernel, stepUp, (call, db) => proveAgain(parts, call, db));
}
