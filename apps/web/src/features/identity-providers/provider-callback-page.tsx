// Where a provider sends the browser back to: finishes the sign-in, or says why it could not.
import { Button, Stack } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { SecondStep } from "@strongroom/contract";
import { useEffect, useRef, useState } from "react";
import { Link, Navigate, useLocation, useParams } from "react-router";
import { paths } from "#app/paths.ts";
import { returnPlace } from "#app/return-place.ts";
import { SecondStepScreen } from "#features/sign-in/second-step-screen.tsx";
import { afterFirstProof } from "#features/sign-in/sign-in.queries.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { useSession } from "#shared/session/session-store.ts";
import { EntranceLayout } from "#shared/ui/entrance-layout.tsx";
import { PageLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { finish } from "./identity-providers.queries.ts";

type Stage =
  | { is: "finishing" }
  | { is: "entered"; returnTo: string }
  | { is: "failed"; why: string }
  | { is: "second step"; step: SecondStep; isRemembered: boolean; returnTo: string };

const NOTHING_SENT = "There is nothing to finish here. Please begin on the sign-in page.";

export default function ProviderCallbackPage() {
  const { id = "" } = useParams();
  const { search, pathname } = useLocation();
  const [stage, setStage] = useState<Stage>(search === "" ? { is: "failed", why: NOTHING_SENT } : { is: "finishing" });
  const session = useSession();
  const hasBegun = useRef(false);

  useEffect(() => {
    // Once, whatever the page does meanwhile: what the provider sent works once.
    if (hasBegun.current || search === "") return;
    hasBegun.current = true;
    // It has no business in the address bar or in the history.
    globalThis.history.replaceState(null, "", pathname);
    void enter(id, search.slice(1)).then(setStage);
  }, [id, search, pathname]);

  if (stage.is === "entered") return <Navigate to={stage.returnTo} replace />;
  if (stage.is === "finishing") return <PageLoading text="Signing you in..." />;
  if (stage.is === "failed") return <Failed why={stage.why} />;
  const { step, isRemembered, returnTo } = stage;
  if (session.status === "signed-in") return <Navigate to={returnTo} replace />;
  const restart = (why: string | null) => setStage({ is: "failed", why: why ?? NOTHING_SENT });
  return <SecondStepScreen step={step} isRemembered={isRemembered} onRestart={restart} />;
}

async function enter(provider: string, query: string): Promise<Stage> {
  try {
    const { sign_in: reply, return_to: place, remember_me: isRemembered } = await finish(provider, query);
    const returnTo = returnPlace({ from: { pathname: place } });
    const step = afterFirstProof(reply, isRemembered);
    if (step !== null) return { is: "second step", step, isRemembered, returnTo };
    toast.success("Welcome back!");
    return { is: "entered", returnTo };
  } catch (error) {
    return { is: "failed", why: messageOf(error) };
  }
}

function Failed({ why }: { why: string }) {
  return (
    <EntranceLayout title="You are not signed in" description="The other system and this one did not come together.">
      <Stack gap="lg">
        <ErrorState message={why} />
        <Button
          component={Link}
          to={paths.signIn}
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
        >
          Back to sign-in
        </Button>
      </Stack>
    </EntranceLayout>
  );
}
