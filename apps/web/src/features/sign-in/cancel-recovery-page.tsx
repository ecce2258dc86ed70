// Opened from the email about a reset: the owner cancels a reset that they did not request.
import { Anchor, Button, Stack, Text } from "@mantine/core";
import { cancelRecoveryByLink } from "@strongroom/contract";
import { Link } from "react-router";
import { paths } from "#shared/paths.ts";
import { messageOf } from "#shared/api/call-error.ts";
import { call } from "#shared/api/call.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { SignedOutLayout } from "#shared/ui/signed-out-layout.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { useTokenInAddress } from "./use-token-in-address.ts";

export default function CancelRecoveryPage() {
  const token = useTokenInAddress("token");
  const cancel = useMutation({
    mutationFn: (link: string) => call(cancelRecoveryByLink, { body: { token: link } }),
  });
  const backToSignIn = (
    <Text ta="center">
      <Anchor component={Link} to={paths.login} underline="always">
        Back to sign in
      </Anchor>
    </Text>
  );

  if (token === null) {
    return (
      <SignedOutLayout title="Cancel a Reset">
        <ErrorState message="The link is incomplete. Open the complete link from the email." />
        {backToSignIn}
      </SignedOutLayout>
    );
  }
  if (cancel.data !== undefined) {
    return (
      <SignedOutLayout title="Reset Cancelled">
        <Text>{cancel.data.message}</Text>
        {backToSignIn}
      </SignedOutLayout>
    );
  }
  return (
    <SignedOutLayout title="Cancel a Reset" description="Use this if you did not request the reset of your sign-in.">
      <Stack gap="md">
        <Text>
          All your sessions end, the new password stops working, and your vault stays closed. Administrators are
          notified. You need two administrators to regain access.
        </Text>
        <Button
          color="red"
          size="md"
          fullWidth
          loading={cancel.isPending}
          onClick={() => cancel.mutate(token, { onError: (error) => toast.error(messageOf(error)) })}
        >
          This was not me: cancel the reset
        </Button>
        {backToSignIn}
      </Stack>
    </SignedOutLayout>
  );
}
