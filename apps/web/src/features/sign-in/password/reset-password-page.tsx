// The target of a reset link: sets a new password with its single-use token (OPEN-09).
import { Anchor, Button, PasswordInput, Text } from "@mantine/core";
import { useForm } from "@mantine/form";
import { zod4Resolver } from "mantine-form-zod-resolver";
import { Link, useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { FormStack } from "#shared/ui/form-stack.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { PasswordStrength } from "#shared/ui/password-strength.tsx";
import { toast } from "#shared/ui/toast.ts";
import { ChosenPassword, passwordErrorOf } from "./choose-password.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { useCompleteReset } from "../sign-in.queries.ts";
import { useTokenInAddress } from "../use-token-in-address.ts";

export default function ResetPasswordPage() {
  const navigate = useNavigate();
  const token = useTokenInAddress("token");
  const complete = useCompleteReset();
  const form = useForm({ initialValues: { password: "", confirmation: "" }, validate: zod4Resolver(ChosenPassword) });

  if (token === null) {
    return (
      <SignedOutLayout title="Choose a new password">
        <ErrorState message="The reset link is incomplete. Open the complete link." />
        <Text ta="center">
          <Anchor component={Link} to={paths.login} underline="always">
            Back to sign in
          </Anchor>
        </Text>
      </SignedOutLayout>
    );
  }

  const submit = form.onSubmit(({ password }) =>
    complete.mutate(
      { token, password },
      {
        onSuccess: (_, isHere) => {
          toast.success("Password changed. Sign in with your new password.");
          if (isHere) void navigate(paths.login, { replace: true });
        },
        onError: (error, isHere) => {
          const atPassword = passwordErrorOf(error);
          if (atPassword !== null && isHere) form.setFieldError("password", atPassword);
          else toast.error(messageOf(error, "Failed to reset password"));
        },
      },
    ),
  );

  return (
    <SignedOutLayout title="Choose a new password" description="Changing your password ends your open sessions.">
      <FormStack label="Choose a new password" onSubmit={submit}>
        <PasswordInput
          label="New password"
          description="At least 8 characters, 12 for managers and admins"
          autoComplete="new-password"
          {...form.getInputProps("password")}
        />
        <PasswordStrength password={form.values.password} />
        <PasswordInput label="Confirm password" autoComplete="new-password" {...form.getInputProps("confirmation")} />
        <Button type="submit" size="md" fullWidth loading={complete.isPending}>
          Change password
        </Button>
      </FormStack>
    </SignedOutLayout>
  );
}
