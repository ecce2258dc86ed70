// The sign-in screen at /auth and /login (AUTH-01 to AUTH-19).
import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Text, TextInput, Stack } from "@mantine/core";
import { useDisclosure } from "@mantine/hooks";
import { IconFingerprint, IconInfoCircle } from "@tabler/icons-react";
import type { SecondStep } from "@strongroom/contract";
import { Suspense, lazy, useState } from "react";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { canUsePasskeys, NoPasskey } from "#shared/factors/passkey.ts";
import { ProviderButtons, useHasDirectory } from "./provider/provider-buttons.tsx";
import { useSession } from "#shared/session/session-store.ts";
import { Form } from "#shared/ui/form.tsx";
import { toast } from "#shared/ui/toast.ts";
import { Claims } from "./claims.tsx";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { isCallError, messageOf } from "#shared/api/call-error.ts";
import { INVALID_TOKEN } from "#shared/session/token.ts";
import type { ProviderSession } from "#shared/session/session-store.ts";
import { leaveProvider } from "./provider/provider.queries.ts";
import { navigateAway } from "#shared/session/navigate-away.ts";
import { useSignInPage, usePasskeySignIn, useSignIn, type Credentials } from "./sign-in.queries.ts";

/** Loaded when they are needed, so that the first page loads sooner. */
const RequestResetDialog = lazy(() => import("./password/request-reset-dialog.tsx"));
const SecondStepScreen = lazy(() => import("./second-step/second-step-screen.tsx"));

const INVALID_CREDENTIALS = "Invalid credentials";

const SIGN_IN_NETWORK_ERROR =
  "Network error: Please check if the backend server is running and CORS is properly configured.";

/** A failed sign-in; a refusal that is not about the credentials is a permanent notice (`isStep`), not a toast. */
interface SignInFailure {
  text: string;
  isStep: boolean;
}

const ENDED = "Your session has ended. Please sign in again.";
const NEEDS_SETUP =
  "This installation has no administrator yet. Open the setup link that the server printed when it started.";

/** The second step required after a correct first proof. */
interface Missing {
  step: SecondStep;
  isRemembered: boolean;
}

/** This form is the page's only purpose. */
const FOCUSED = { autoFocus: true };

export default function SignInPage() {
  const [missing, setMissing] = useState<Missing | null>(null);
  const [notice, setNotice] = useState<string | null>(null);
  if (missing === null) return <FirstStep notice={notice} onMissing={setMissing} />;
  const restart = (why: string | null) => {
    setNotice(why);
    setMissing(null);
  };
  return <SecondStepScreen {...missing} onRestart={restart} />;
}

interface FirstStepProps {
  /** Why the user is back on this screen. */
  notice: string | null;
  onMissing: (missing: Missing) => void;
}

function FirstStep({ notice, onMissing }: FirstStepProps) {
  const session = useSession();
  const { data: entrance } = useSignInPage();
  const { mutateAsync: signIn } = useSignIn();
  const [step, setStep] = useState<string | null>(notice);
  const [isResetOpen, reset] = useDisclosure(false);
  /** Null until *Reset password* was pressed. */
  const [resetEmail, setResetEmail] = useState<string | null>(null);
  const wasEnded = session.status === "signed-out" && (session.by === "server" || session.by === "expiry");

  const passkey = usePasskeySignIn();
  const hasDirectory = useHasDirectory();

  async function enter(isRemembered: boolean, ask: () => Promise<SecondStep | null>): Promise<void> {
    setStep(null);
    try {
      const second = await ask();
      if (second === null) toast.success("Welcome back!");
      else onMissing({ step: second, isRemembered });
    } catch (error) {
      const failure = explainSignIn(error);
      if (failure.isStep) setStep(failure.text);
      else toast.error(failure.text);
    }
  }

  async function submit(values: Credentials): Promise<void> {
    if (values.email.trim() === "" || values.password === "") {
      setStep(null);
      toast.error("Please fill in all fields");
      return;
    }
    await enter(values.rememberMe, () => signIn(values));
  }

  function openReset(email: string): void {
    setResetEmail(email);
    reset.open();
  }

  return (
    <SignedOutLayout
      title="Sign In to Strongroom"
      description="Privileged credentials, stored safely, verified and audited."
      side={<Claims />}
    >
      <Form<Credentials>
        label="Sign in"
        initial={{ email: "", password: "", rememberMe: false }}
        submitLabel="Sign In"
        submit={{ size: "md", fullWidth: true }}
        onSubmit={submit}
        renderBelow={({ values: { rememberMe: isRemembered } }) => (
          <>
            {canUsePasskeys() && (
              <Button
                variant="default"
                size="md"
                fullWidth
                leftSection={<IconFingerprint size={18} aria-hidden />}
                loading={passkey.isPending}
                onClick={() => void enter(isRemembered, () => passkey.mutateAsync(isRemembered))}
              >
                Use a Passkey
              </Button>
            )}
            <ProviderButtons isRemembered={isRemembered} onFailure={setStep} />
            <Text size="sm" c="dimmed" ta="center">
              No account yet?{" "}
              <Anchor component={Link} to={paths.signUp} inherit underline="always">
                Create Account
              </Anchor>
            </Text>
          </>
        )}
      >
        {(form) => (
          <>
            {entrance?.needs_setup === true && (
              <Alert color="petrol" icon={<IconInfoCircle aria-hidden />}>
                {NEEDS_SETUP}
              </Alert>
            )}
            {step === null && wasEnded && (
              <Alert color="petrol" icon={<IconInfoCircle aria-hidden />}>
                {ENDED}
              </Alert>
            )}
            {session.status === "signed-out" && session.provider !== null && (
              <ProviderSessionNote provider={session.provider} />
            )}
            {step !== null && (
              <Alert color="brass" icon={<IconInfoCircle aria-hidden />} role="alert">
                {step}
              </Alert>
            )}
            <TextInput
              {...FOCUSED}
              type="email"
              name="email"
              label={hasDirectory ? "Email or user name" : "Email"}
              placeholder="Enter your email address"
              autoComplete="username"
              size="md"
              {...form.getInputProps("email")}
            />
            <PasswordInput
              name="password"
              label="Password"
              placeholder="Enter your password"
              autoComplete="current-password"
              size="md"
              {...form.getInputProps("password")}
            />
            <Group justify="space-between" gap="xs">
              <Checkbox
                name="rememberMe"
                label="Keep me signed in"
                {...form.getInputProps("rememberMe", { type: "checkbox" })}
              />
              <Anchor component="button" type="button" size="sm" onClick={() => openReset(form.values.email)}>
                Reset password
              </Anchor>
            </Group>
          </>
        )}
      </Form>
      {resetEmail !== null && (
        <Suspense fallback={null}>
          <RequestResetDialog
            opened={isResetOpen}
            onClose={reset.close}
            email={resetEmail}
            hasMail={entrance?.mail_configured ?? true}
          />
        </Suspense>
      )}
    </SignedOutLayout>
  );
}

export function explainSignIn(error: unknown): SignInFailure {
  if (error instanceof NoPasskey) return { text: error.message, isStep: false };
  if (!isCallError(error)) return { text: INVALID_CREDENTIALS, isStep: false };
  if (error.kind === "network") return { text: SIGN_IN_NETWORK_ERROR, isStep: false };
  if (error.kind === "timeout" || error.message === INVALID_TOKEN) return { text: error.message, isStep: false };
  if (error.text !== null) return { text: `Server error: ${error.status}`, isStep: false };
  // The password was correct, but the account is waiting for a decision or is rate limited.
  if (error.status === 403 || error.status === 429) return { text: error.message, isStep: true };
  if (error.status >= 500) return { text: error.message, isStep: false };
  return { text: INVALID_CREDENTIALS, isStep: false };
}

function ProviderSessionNote({ provider: { id, name } }: { provider: ProviderSession }) {
  const [isBusy, setIsBusy] = useState(false);
  const [note, setNote] = useState<string | null>(null);

  async function leave(): Promise<void> {
    setIsBusy(true);
    setNote(null);
    try {
      const { url } = await leaveProvider(id);
      if (url === null) setNote(`${name} does not support sign-out from other systems. Sign out there.`);
      else navigateAway(url);
    } catch (error) {
      setNote(messageOf(error));
    } finally {
      setIsBusy(false);
    }
  }

  return (
    <Alert color="petrol" icon={<IconInfoCircle aria-hidden />} title="You are signed out of Strongroom">
      <Stack gap="sm" align="flex-start">
        <Text size="sm">You may still be signed in to {name} in this browser.</Text>
        <Button variant="default" size="sm" loading={isBusy} onClick={() => void leave()}>
          Sign Out of {name} Too
        </Button>
        {note !== null && (
          <Text size="sm" role="alert">
            {note}
          </Text>
        )}
      </Stack>
    </Alert>
  );
}
