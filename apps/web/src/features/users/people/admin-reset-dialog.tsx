// Requests a reset of an administrator's sign-in, or shows the alternative if no other administrator could confirm it.
import { Button, Select, Stack, Text } from "@mantine/core";
import type { AdminReset, User } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { CodeBlock } from "#shared/ui/code-block.tsx";
import { Form } from "#shared/ui/form.tsx";
import { SectionLoading } from "#shared/ui/loading.tsx";
import { ErrorState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { adminResetRequest, adminResets } from "../users.queries.ts";

export interface RequestedReset {
  user: User;
  kind: AdminReset["kind"];
}

const REASONS = [
  "They forgot their password",
  "They lost the device with their second factor",
  "Someone else may have their password",
];

/** The caller, the administrator being reset, and another one to confirm. */
const FEWEST = 3;

export default function AdminResetForm({ wish, onDone }: { wish: RequestedReset; onDone: () => void }) {
  const resets = useQuery(adminResets);
  if (resets.isPending) return <SectionLoading />;
  if (resets.data === undefined) {
    return <ErrorState message={messageOf(resets.error)} onRetry={() => void resets.refetch()} />;
  }
  const least = wish.user.role === "admin" ? FEWEST : FEWEST - 1;
  return resets.data.administrators < least ? (
    <NobodyConfirms wish={wish} onDone={onDone} />
  ) : (
    <RequestForm wish={wish} onDone={onDone} />
  );
}

function NobodyConfirms({ wish: { user, kind }, onDone }: { wish: RequestedReset; onDone: () => void }) {
  return (
    <Stack gap="md">
      <Text>
        No other administrator can confirm this. Run this command on the Strongroom server instead. It is recorded in
        the audit trail, and {user.name} is notified.
      </Text>
      <CodeBlock
        code={`strongroom user ${kind === "password" ? "reset" : "reset-factors"} ${user.email}`}
        label="command"
        isWrapped
      />
      <Text size="sm" c="dimmed">
        With three administrators, two can always reset the third.
      </Text>
      <Button onClick={onDone} ml="auto">
        Done
      </Button>
    </Stack>
  );
}

function RequestForm({ wish: { user, kind }, onDone }: { wish: RequestedReset; onDone: () => void }) {
  const { mutateAsync: request } = useMutation(adminResetRequest(useQueryClient()));
  return (
    <Form
      label="Request a reset"
      initial={{ reason: "" }}
      check={({ reason }) => (reason === "" ? { reason: "Please choose a reason." } : {})}
      failureText="Failed to request the reset"
      submitLabel="Request Reset"
      onCancel={onDone}
      onSubmit={async ({ reason }, isHere) => {
        await request({ user_id: user.id, kind, reason });
        toast.success("Requested. Another administrator has 24 hours to confirm it.");
        if (isHere()) onDone();
      }}
    >
      {(form) => (
        <>
          <Text size="sm">
            {kind === "password"
              ? `Another administrator must confirm this and give ${user.name} a link to set a new password.`
              : `When another administrator confirms this, all second factors of ${user.name} are removed.`}{" "}
            You cannot confirm it yourself. {user.name} and the other administrators are notified immediately.
          </Text>
          <Select
            label="Reason"
            placeholder="Choose a reason"
            withAsterisk
            data={REASONS}
            allowDeselect={false}
            {...form.getInputProps("reason")}
          />
        </>
      )}
    </Form>
  );
}
