// What is shown after a first proof that was right and is not enough; every way of signing in leads here.
import type { SecondStep as Step, SignedIn } from "@strongroom/contract";
import { useRef } from "react";
import { SecondStep } from "#features/factors/second-step.tsx";
import { EntranceLayout } from "#shared/ui/entrance-layout.tsx";
import { toast } from "#shared/ui/toast.ts";
import { Claims } from "./claims.tsx";
import { afterFirstProof } from "./sign-in.queries.ts";

export interface SecondStepScreenProps {
  step: Step;
  isRemembered: boolean;
  /** Back to the first proof, with why when it was not the person's wish. */
  onRestart: (why: string | null) => void;
}

const PROVE = "This account has a second factor. Prove that you have it.";
const SET_UP = "The password was right. One thing is missing before you are in.";

export function SecondStepScreen({ step, isRemembered, onRestart }: SecondStepScreenProps) {
  const isDone = useRef(false);
  const enter = (reply: SignedIn) => {
    if (isDone.current) return;
    isDone.current = true;
    afterFirstProof(reply, isRemembered);
    toast.success("Welcome back!");
  };
  return (
    <EntranceLayout title="One more step" description={step.kinds.length === 0 ? SET_UP : PROVE} side={<Claims />}>
      <SecondStep step={step} onSignedIn={enter} onRestart={onRestart} />
    </EntranceLayout>
  );
}
