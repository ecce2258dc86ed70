// "Activate" inside the administrator's notification about a pending account. Hidden once the account is no longer
// pending.
import { Button, Group } from "@mantine/core";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { capitalised } from "#shared/format/text.ts";
import { toast } from "#shared/ui/toast.ts";
import { activation, pendingUsers } from "../users.queries.ts";

export default function ActivationAct({ userId }: { userId: string }) {
  const { data } = useQuery(pendingUsers);
  const { mutate, isPending } = useMutation(activation(useQueryClient()));
  const user = data?.data.find(({ id }) => id === userId);
  if (user === undefined) return null;
  const activate = (decision?: "approve" | "deny") =>
    mutate(
      { id: user.id, decision },
      {
        onSuccess: ({ role }) => toast.success(`${user.name} is active as ${capitalised(role)}`),
        onError: (error) => toast.error(messageOf(error)),
      },
    );
  const wanted = user.requested_role;
  return (
    <Group gap="xs" mt="xs">
      {wanted !== null && (
        <Button size="compact-sm" disabled={isPending} onClick={() => activate("approve")}>
          Activate as {capitalised(wanted)}
        </Button>
      )}
      <Button
        size="compact-sm"
        {...(wanted !== null && { variant: "default" })}
        disabled={isPending}
        onClick={() => activate(wanted === null ? undefined : "deny")}
      >
        {wanted === null ? "Activate" : "Activate as User"}
      </Button>
    </Group>
  );
}
