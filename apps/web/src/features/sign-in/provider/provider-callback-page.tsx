// The provider's redirect target: finishes the sign-in, or shows why it failed.
import { Button, Stack, Text } from "@mantine/core";
import { IconArrowLeft } from "@tabler/icons-react";
import type { SecondStep } from "@strongroom/contract";
import { lazy, useEffect, useRef, useState } from "react";
import { Link, Navigate, useLocation, useParams } from "react-router";
import { paths } from "#shared/paths.ts";
import { returnPlace } from "#shared/return-path.ts";
import { announceProof } from "#shared/session/proof-channel.ts";
import { afterFirstProof } from "../sign-in.queries.ts";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { useSession } from "#shared/session/session-store.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { PageLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { begin, finish } from "./provider.queries.ts";
import { navigateAway } from "#shared/session/navigate-away.ts";

const SecondStepScreen = lazy(() => import("../second-step/second-step-screen.tsx"));

type Stage =
  | { is: "finishing" }
  | { is: "entered"; returnTo: string }
  | { is: "proved"; returnTo: string }
  | { is: "failed"; why: string; canAuthenticate?: boolean }
  | { is: "second step"; step: SecondStep; isRemembered: boolean; returnTo: string };

const NOTHING_SENT = "No sign-in is in progress. Start on the sign-in page.";

export default function ProviderCallbackPage() {
  const { id = "" } = useParams();
  const { search, pathname } = useLocation();
  const [stage, setStage] = useState<Stage>(search === "" ? { is: "failed", why: NOTHING_SENT } : { is: "finishing" });
  const session = useSession();
  const hasBegun = useRef(false);

  useEffect(() => {
    // Runs once, even when React repeats effects, because the provider's code works only once.
    if (hasBegun.current || search === "") return;
    hasBegun.current = true;
    // Removes the provider's response from the address bar and the history.
    globalThis.history.replaceState(null, "", pathname);
    void enter(id, search.slice(1)).then(setStage);
  }, [id, search, pathname]);

  if (stage.is === "entered") return <Navigate to={stage.returnTo} replace />;
  if (stage.is === "finishing") return <PageLoading text="Signing you in..." />;
  if (stage.is === "proved") return <Proved returnTo={stage.returnTo} />;
  if (stage.is === "failed") return <Failed provider={stage.canAuthenticate === true ? id : null} why={stage.why} />;
  const { step, isRemembered, returnTo } = stage;
  if (session.status === "signed-in") return <Navigate to={returnTo} replace />;
  const restart = (why: string | null) => setStage({ is: "failed", why: why ?? NOTHING_SENT });
  return <SecondStepScreen step={step} isRemembered={isRemembered} onRestart={restart} />;
}

async function enter(provider: string, query: string): Promise<Stage> {
  try {
    const { sign_in: reply, return_to: place, ...rest } = await finish(provider, query);
    const { remember_me: isRemembered, proved_until: provedUntil } = rest;
    const returnTo = returnPlace({ from: { pathname: place } });
    if (provedUntil !== null) {
      announceProof();
      // Has an effect only in a window that the step-up opened.
      globalThis.window.close();
      return { is: "proved", returnTo };
    }
    const step = afterFirstProof(reply, isRemembered);
    if (step !== null) return { is: "second step", step, isRemembered, returnTo };
    toast.success("Welcome back!");
    return { is: "entered", returnTo };
  } catch (error) {
    const canAuthenticate = isCallError(error) && error.code === "sign-in.authenticate-again";
    return { is: "failed", why: messageOf(error), canAuthenticate };
  }
}

function Proved({ returnTo }: { returnTo: string }) {
  return (
    <SignedOutLayout title="Thank You" description="Your identity is confirmed.">
      <Stack gap="lg">
        <Text>You can close this window and continue in the other one.</Text>
        <Button component={Link} to={returnTo} replace variant="default">
          Continue Here
        </Button>
      </Stack>
    </SignedOutLayout>
  );
}

interface FailedProps {
  why: string;
  /** The provider that has to authenticate the user again; null when that would not help. */
  provider: string | null;
}

function Failed({ why, provider }: FailedProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const [isLeaving, setIsLeaving] = useState(false);

  async function authenticate(id: string): Promise<void> {
    setIsLeaving(true);
    try {
      navigateAway((await begin(id, { returnTo: paths.dashboard, isRemembered: false, authenticate: true })).url);
    } catch (error) {
      setIsLeaving(false);
      setFailure(messageOf(error));
    }
  }

  return (
    <SignedOutLayout title="You are not signed in" description="The sign-in with your provider failed.">
      <Stack gap="lg">
        <ErrorState message={failure ?? why} />
        {provider !== null && (
          <Button loading={isLeaving} onClick={() => void authenticate(provider)}>
            Sign In Again
          </Button>
        )}
        <Button
          component={Link}
          to={paths.signIn}
          variant="default"
          leftSection={<IconArrowLeft size={16} aria-hidden />}
        >
          Back to Sign-In
        </Button>
      </Stack>
    </SignedOutLayout>
  );
}
