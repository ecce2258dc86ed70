// The screen shown when a sign-in requires a second proof after a correct first one. Every sign-in method leads to it.
import type { SecondStep as Step, SignedIn } from "@strongroom/contract";
import { useRef } from "react";
import { SecondStep } from "./second-step.tsx";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { toast } from "#shared/ui/toast.ts";
import { Claims } from "../claims.tsx";
import { afterFirstProof } from "../sign-in.queries.ts";

export interface SecondStepScreenProps {
  step: Step;
  isRemembered: boolean;
  /** Returns to the first proof, with a reason unless the user chose to go back. */
  onRestart: (why: string | null) => void;
}

const PROVE = "Confirm your sign-in with your second factor.";
const SET_UP = "Set up a second factor to finish signing in.";

export default function SecondStepScreen({ step, isRemembered, onRestart }: SecondStepScreenProps) {
  const isDone = useRef(false);
  const enter = (reply: SignedIn) => {
    if (isDone.current) return;
    isDone.current = true;
    afterFirstProof(reply, isRemembered);
    toast.success("Welcome back!");
  };
  return (
    <SignedOutLayout title="One More Step" description={step.kinds.length === 0 ? SET_UP : PROVE} side={<Claims />}>
      <SecondStep step={step} onSignedIn={enter} onRestart={onRestart} />
    </SignedOutLayout>
  );
}
