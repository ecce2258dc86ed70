// The sign-up page at /signup and /signup-new, also the target of the setup link (SIGNUP-01 to SIGNUP-19, OPEN-18).
import { Alert, Anchor, Text, TextInput, Group, Radio, Stack } from "@mantine/core";
import { IconInfoCircle, IconShieldLock } from "@tabler/icons-react";
import { useEffect, useRef } from "react";
import { Link, useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { SignUpRuleFields, domainsIn } from "#shared/session/sign-up-rule.tsx";
import { firstObjections } from "#shared/api/field-errors.ts";
import { Form } from "#shared/ui/form.tsx";
import { toast } from "#shared/ui/toast.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { isPasswordRefused, passwordErrorsOf } from "../password/choose-password.ts";
import { NewPasswordFields } from "../password/new-password-fields.tsx";
import { useSignIn, useSignInPage, useSignUp, type Registration } from "../sign-in.queries.ts";
import { SIGN_UP_START, SignUpForm, type SignUpValues, ROLE_CHOICES } from "./sign-up-form.ts";
import { isBareStatus, isCallError, messageOf } from "#shared/api/call-error.ts";
import type { Role } from "@strongroom/contract";
import classes from "./role-choice.module.css";
import { useTokenInAddress } from "../use-token-in-address.ts";

interface RoleChoiceProps {
  value: Role;
  onChange: (role: Role) => void;
}

export const SIGNED_UP = "Account created successfully! Please sign in with your new credentials.";

const WELCOME = "Administrator account created. Welcome to Strongroom!";

export const EMAIL_TAKEN = "An account with this email already exists. Please try signing in instead.";

export const MAIL_LIMITED =
  "Your account was created, but the email service is temporarily unavailable. You can sign in with your new credentials.";

export const MAIL_FAILED =
  "Your account was created, but the email confirmation failed. You can still sign in with your new credentials.";

/** AUTH-44's title above the text of SIGNUP-19, for a failed sign-up without a message. */
const SIGN_UP_FAILED = "Registration failed";

const FALLBACK = "Failed to create account";

interface SignUpFailure {
  text: string;
  /** The account may exist despite the error, so the page continues to sign-in. */
  mayExist: boolean;
}

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
  const { mutateAsync: signUp } = useSignUp();
  const { mutateAsync: signIn } = useSignIn();

  const isFirst = entrance?.needs_setup ?? linkToken !== null;
  const isClosed = entrance !== undefined && !entrance.needs_setup && !entrance.sign_up_open;
  const isUsedUp = linkToken !== null && entrance?.needs_setup === false;

  function registrationOf(values: SignUpValues): Registration {
    const setupToken = linkToken ?? values.setupToken.trim();
    return {
      email: values.email,
      password: values.password,
      role: isFirst ? "admin" : values.role,
      ...(isFirst && setupToken !== "" ? { setup_token: setupToken } : {}),
      ...(isFirst ? { sign_up: ruleOf(values) } : {}),
    };
  }

  /** Signs the first administrator in. If that fails, the sign-in page asks for the credentials, as for everyone else. */
  async function enters({ email, password }: SignUpValues): Promise<boolean> {
    try {
      if ((await signIn({ email, password, rememberMe: false })) !== null) return false;
    } catch {
      return false;
    }
    toast.success(WELCOME);
    return true;
  }

  async function submit(values: SignUpValues, isHere: () => boolean): Promise<void> {
    try {
      const { code } = await signUp(registrationOf(values));
      if (code === "account.created-as-admin" && (await enters(values))) return;
      toast.success(SIGNED_UP);
      if (code === "account.created-role-requested") toast.custom(ROLE_REQUESTED, { duration: MAIL_TOAST_MS });
      if (isHere()) void navigate(paths.login);
    } catch (error) {
      if (isPasswordRefused(error) && isHere()) throw error;
      const { text, mayExist } = explainSignUp(error);
      if (!mayExist) {
        toast.error(text, { title: SIGN_UP_FAILED });
        return;
      }
      console.warn(text);
      toast.custom(text, { duration: MAIL_TOAST_MS });
      if (isHere()) signInLater();
    }
  }

  return (
    <SignedOutLayout title="Get Started" description="Create your account.">
      <Form
        label="Sign up"
        initial={SIGN_UP_START}
        check={(values) => firstObjections(SignUpForm, values)}
        objectionsIn={passwordErrorsOf}
        failureText={() => null}
        submitLabel="Create a new account"
        submit={{ size: "md", fullWidth: true }}
        isDisabled={() => isClosed}
        onSubmit={submit}
        renderBelow={() => (
          <Text size="sm" c="dimmed" ta="center">
            Already have an account?{" "}
            <Anchor component={Link} to={paths.login} inherit underline="always">
              Login
            </Anchor>
          </Text>
        )}
      >
        {(form) => (
          <>
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
            <NewPasswordFields form={form} label="Create new password" known={[form.values.email]} />
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
          </>
        )}
      </Form>
    </SignedOutLayout>
  );
}

const refused = (text: string): SignUpFailure => ({ text, mayExist: false });

/** "already exists" comes before "email", because such a message usually contains the email. */
function byText(message: string): SignUpFailure {
  if (/already exists|duplicate/i.test(message)) return refused(EMAIL_TAKEN);
  if (/rate limit/i.test(message)) return { text: MAIL_LIMITED, mayExist: true };
  if (/email|sending/i.test(message)) return { text: MAIL_FAILED, mayExist: true };
  return refused(message || FALLBACK);
}

/** Uses the server's error code, or matches the message when there is no code. */
export function explainSignUp(error: unknown): SignUpFailure {
  if (!isCallError(error)) return refused(FALLBACK);
  if (error.kind !== "http" || isBareStatus(error)) return refused(messageOf(error, FALLBACK));
  if (error.errors.length > 0) {
    return refused(`Validation errors: ${error.errors.map(({ path, msg }) => `${path}: ${msg}`).join(", ")}`);
  }
  if (error.code === null) return byText(error.message);
  if (/exists|taken|duplicate/.test(error.code)) return refused(EMAIL_TAKEN);
  return refused(messageOf(error, FALLBACK));
}

function RoleChoice({ value, onChange }: RoleChoiceProps) {
  return (
    <Radio.Group label="Select your role" value={value} onChange={(role) => onChange(role)}>
      <Stack gap={6} mt={4}>
        {ROLE_CHOICES.map(({ role, label, description }) => (
          <label key={role} htmlFor={`choose-${role}`} className={classes.choice} data-checked={value === role}>
            <Group gap="sm" wrap="nowrap" align="flex-start">
              <Radio id={`choose-${role}`} value={role} aria-label={label} aria-describedby={`role-${role}`} mt={2} />
              <div>
                <Text fw={600} size="sm">
                  {label}
                </Text>
                <Text size="sm" c="dimmed" id={`role-${role}`}>
                  {description}
                </Text>
              </div>
            </Group>
          </label>
        ))}
      </Stack>
      {value !== "user" && (
        <Text size="sm" c="dimmed" mt={6} role="status">
          An administrator must approve this role. Until then, you have the User role.
        </Text>
      )}
    </Radio.Group>
  );
}
