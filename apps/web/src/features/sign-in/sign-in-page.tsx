// The sign-in screen at /auth and /login (AUTH-01 to AUTH-19).
import { Alert, Anchor, Button, Checkbox, Group, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { useDisclosure } from "@mantine/hooks";
import { IconInfoCircle } from "@tabler/icons-react";
import { useState } from "react";
import { Link } from "react-router";
import { paths } from "#app/paths.ts";
import { useSession } from "#shared/session/session-store.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { toast } from "#shared/ui/toast.ts";
import { Claims } from "./claims.tsx";
import { EntranceLayout } from "#shared/ui/entrance-layout.tsx";
import { explainSignIn } from "./explain-sign-in.ts";
import { RequestResetDialog } from "./request-reset-dialog.tsx";
import { useEntrance, useSignIn, type Credentials } from "./sign-in.queries.ts";

const ENDED = "Your session has ended. Please sign in again.";
const NEEDS_SETUP =
  "This installation has no administrator yet. Open the setup link that the server printed when it started.";

export default function SignInPage() {
  const session = useSession();
  const { data: entrance } = useEntrance();
  const signIn = useSignIn();
  const [step, setStep] = useState<string | null>(null);
  const [isResetOpen, reset] = useDisclosure(false);
  const form = useForm<Credentials>({ initialValues: { email: "", password: "", rememberMe: false } });
  const wasEnded = session.status === "signed-out" && (session.by === "server" || session.by === "expiry");

  const submit = form.onSubmit(async (values) => {
    setStep(null);
    if (values.email.trim() === "" || values.password === "") {
      toast.error("Please fill in all fields");
      return;
    }
    try {
      // Success leaves this page at once, and callbacks given to `mutate` would leave with it.
      await signIn.mutateAsync(values);
      toast.success("Welcome back!");
    } catch (error) {
      const failure = explainSignIn(error);
      if (failure.isStep) setStep(failure.text);
      else toast.error(failure.text);
    }
  });

  return (
    <EntranceLayout
      title="Sign in to Strongroom"
      description="Privileged credentials, kept safe, proved to work and accounted for."
      side={<Claims />}
    >
      <FormStack label="Sign in" onSubmit={submit}>
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
        {step !== null && (
          <Alert color="brass" icon={<IconInfoCircle aria-hidden />} role="alert">
            {step}
          </Alert>
        )}
        <TextInput
          type="email"
          name="email"
          label="Email"
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
          <Anchor component="button" type="button" size="sm" onClick={reset.open}>
            Reset password
          </Anchor>
        </Group>
        <Button type="submit" size="md" fullWidth loading={signIn.isPending}>
          Sign In
        </Button>
        <Text size="sm" c="dimmed" ta="center">
          No account yet?{" "}
          <Anchor component={Link} to={paths.signUp} inherit underline="always">
            Create Account
          </Anchor>
        </Text>
      </FormStack>
      <RequestResetDialog
        opened={isResetOpen}
        onClose={reset.close}
        email={form.values.email}
        hasMail={entrance?.mail_configured ?? true}
      />
    </EntranceLayout>
  );
}
