// The sign-up page at /signup and /signup-new, also the target of the setup link (SIGNUP-01 to SIGNUP-19, OPEN-18).
import { Alert, Anchor, Button, PasswordInput, Text, TextInput } from "@mantine/core";
import { useForm } from "@mantine/form";
import { IconInfoCircle, IconShieldLock } from "@tabler/icons-react";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { useEffect, useRef } from "react";
import { Link, useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { SignUpRuleFields, domainsIn } from "#shared/session/sign-up-rule.tsx";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { toast } from "#shared/ui/toast.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { PasswordStrength } from "#shared/ui/password-strength.tsx";
import { passwordErrorOf } from "../password/choose-password.ts";
import { SIGNED_UP, SIGN_UP_FAILED, explainSignUp } from "./explain-sign-up.ts";
import { RoleChoice } from "./role-choice.tsx";
import { useSignInPage, useSignUp } from "../sign-in.queries.ts";
import { SIGN_UP_START, SignUpForm, type SignUpValues } from "./sign-up-form.ts";
import { useTokenInAddress } from "../use-token-in-address.ts";

/** Milliseconds (SIGNUP-15 to SIGNUP-17). */
const MAIL_TOAST_MS = 6000;
export const REDIRECT_AFTER_MS = 2000;

const ROLE_REQUESTED = "An administrator must approve the role you requested. Until then, you have the User role.";

const ruleOf = ({ sign_up, sign_up_domains }: SignUpValues) => ({
  sign_up,
  sign_up_domains: sign_up === "domains" ? domainsIn(sign_up_domains) : [],
});

/** Redirects to the sign-in page after a pause, unless the user leaves this page first. */
function useLaterSignIn(): () => void {
  const navigate = useNavigate();
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  useEffect(() => () => clearTimeout(timer.current), []);
  return () => {
    timer.current = setTimeout(() => void navigate(paths.login), REDIRECT_AFTER_MS);
  };
}

export default function SignUpPage() {
  const navigate = useNavigate();
  const signInLater = useLaterSignIn();
  const linkToken = useTokenInAddress("setup_token");
  const { data: entrance } = useSignInPage();
  const signUp = useSignUp();
  const form = useForm<SignUpValues>({ initialValues: SIGN_UP_START, validate: zod4Resolver(SignUpForm) });

  const isFirst = entrance?.needs_setup ?? linkToken !== null;
  const isClosed = entrance !== undefined && !entrance.needs_setup && !entrance.sign_up_open;
  const isUsedUp = linkToken !== null && entrance?.needs_setup === false;

  const submit = form.onSubmit((values) => {
    const setupToken = linkToken ?? values.setupToken.trim();
    const body = {
      email: values.email,
      password: values.password,
      role: isFirst ? "admin" : values.role,
      ...(isFirst && setupToken !== "" ? { setup_token: setupToken } : {}),
      ...(isFirst ? { sign_up: ruleOf(values) } : {}),
    };
    signUp.mutate(body, {
      onSuccess: ({ code }, isHere) => {
        toast.success(SIGNED_UP);
        if (code === "account.created-role-requested") toast.custom(ROLE_REQUESTED, { duration: MAIL_TOAST_MS });
        if (isHere) void navigate(paths.login);
      },
      onError: (error, isHere) => {
        const atPassword = passwordErrorOf(error);
        if (atPassword !== null && isHere) {
          form.setFieldError("password", atPassword);
          return;
        }
        const { text, mayExist } = explainSignUp(error);
        if (!mayExist) {
          toast.error(text, { title: SIGN_UP_FAILED });
          return;
        }
        console.warn(text);
        toast.custom(text, { duration: MAIL_TOAST_MS });
        if (isHere) signInLater();
      },
    });
  });

  return (
    <SignedOutLayout title="Get Started" description="Create your account.">
      <FormStack label="Sign up" onSubmit={submit}>
        {isUsedUp && (
          <Alert color="brass" icon={<IconInfoCircle aria-hidden />}>
            This installation already has an administrator, so the setup link no longer works.
          </Alert>
        )}
        {isClosed && (
          <Alert color="brass" icon={<IconInfoCircle aria-hidden />}>
            Sign-up is closed. Ask an administrator for an account.
          </Alert>
        )}
        <TextInput type="email" label="Your email" autoComplete="username" {...form.getInputProps("email")} />
        <PasswordInput
          label="Create new password"
          description="At least 8 characters, 12 for managers and admins"
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <PasswordStrength password={form.values.password} known={[form.values.email]} />
        <PasswordInput label="Confirm password" autoComplete="new-password" {...form.getInputProps("confirmation")} />
        {isFirst ? (
          <Alert color="petrol" icon={<IconShieldLock aria-hidden />}>
            You are creating the first account. It becomes the administrator of this installation.
          </Alert>
        ) : (
          <RoleChoice value={form.values.role} onChange={(role) => form.setFieldValue("role", role)} />
        )}
        {isFirst && linkToken === null && (
          <TextInput
            label="Setup token"
            description="Part of the setup link that the server printed when it started"
            autoComplete="off"
            {...form.getInputProps("setupToken")}
          />
        )}
        {isFirst && (
          <SignUpRuleFields
            value={form.values}
            onChange={(change) => form.setValues(change)}
            error={form.errors["sign_up_domains"]}
          />
        )}
        <Button type="submit" size="md" fullWidth loading={signUp.isPending} disabled={isClosed}>
          Create a new account
        </Button>
        <Text size="sm" c="dimmed" ta="center">
          Already have an account?{" "}
          <Anchor component={Link} to={paths.login} inherit underline="always">
            Login
          </Anchor>
        </Text>
      </FormStack>
    </SignedOutLayout>
  );
}
