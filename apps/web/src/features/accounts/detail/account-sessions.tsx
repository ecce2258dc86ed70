// The sessions of an account: a link to them, and whether the caller is notified of them.
import { Anchor, Stack, Switch } from "@mantine/core";
import type { Account } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { Link } from "react-router";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { paths } from "#shared/paths.ts";
import { Loaded } from "#shared/ui/loaded.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { toast } from "#shared/ui/toast.ts";
import { accountWatch, watching } from "../accounts.queries.ts";

/** For users who may view the audit trail of the account's safe. */
export function AccountSessions({ account }: { account: Account }) {
  const watch = useQuery(accountWatch(account.id));
  const change = useMutation(watching(useQueryClient(), account.id));
  const set = (isWatched: boolean) =>
    change.mutate(isWatched, {
      onSuccess: ({ message }) => toast.success(message),
      onError: (error) => toast.error(messageOf(error), { title: "Failed to change the notifications" }),
    });
  return (
    <SectionCard title="Sessions">
      <Stack gap="sm">
        <Loaded query={watch}>
          {({ is_watched: isWatched }) => (
            <Switch
              label="Watch this account"
              description="Notify me when a session starts or is terminated"
              checked={change.isPending ? change.variables : isWatched}
              disabled={change.isPending}
              onChange={(event) => set(event.currentTarget.checked)}
            />
          )}
        </Loaded>
        <Anchor component={Link} to={`${paths.sessions}?account=${account.id}`} fz="sm">
          Show sessions of this account
        </Anchor>
      </Stack>
    </SectionCard>
  );
}
