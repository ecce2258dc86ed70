// The target of a reset link: sets a new password with its single-use token (OPEN-09).
import { Anchor, Text } from "@mantine/core";
import { Link, useNavigate } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { firstObjections } from "#shared/api/field-errors.ts";
import { Form } from "#shared/ui/form.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { ChosenPassword, isPasswordRefused, passwordErrorsOf } from "./choose-password.ts";
import { NewPasswordFields } from "./new-password-fields.tsx";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { useCompleteReset } from "../sign-in.queries.ts";
import { useTokenInAddress } from "../use-token-in-address.ts";

export default function ResetPasswordPage() {
  const navigate = useNavigate();
  const token = useTokenInAddress("token");
  const { mutateAsync: complete } = useCompleteReset();

  if (token === null) {
    return (
      <SignedOutLayout title="Choose a New Password">
        <ErrorState message="The reset link is incomplete. Open the complete link." />
        <Text ta="center">
          <Anchor component={Link} to={paths.login} underline="always">
            Back to sign in
          </Anchor>
        </Text>
      </SignedOutLayout>
    );
  }

  return (
    <SignedOutLayout title="Choose a New Password" description="Changing your password ends your open sessions.">
      <Form
        label="Choose a new password"
        initial={{ password: "", confirmation: "" }}
        check={(values) => firstObjections(ChosenPassword, values)}
        objectionsIn={passwordErrorsOf}
        failureText={(error) => (isPasswordRefused(error) ? null : messageOf(error, "Failed to reset password"))}
        submitLabel="Change Password"
        submit={{ size: "md", fullWidth: true }}
        onSubmit={async ({ password }, isHere) => {
          await complete({ token, password });
          toast.success("Password changed. Sign in with your new password.");
          if (isHere()) void navigate(paths.login, { replace: true });
        }}
      >
        {(form) => <NewPasswordFields form={form} />}
      </Form>
    </SignedOutLayout>
  );
}
