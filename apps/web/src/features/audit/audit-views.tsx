// The saved views of the audit trail, and the subscription to the one that is shown.
import { Button, Group, Menu } from "@mantine/core";
import { IconBell, IconBellRinging } from "@tabler/icons-react";
import type { AuditSubscription, SavedView, SubscriptionCadence } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { SavedViewsMenu } from "#shared/saved-views/saved-views-menu.tsx";
import { useShownView } from "#shared/saved-views/use-shown-view.ts";
import { toast } from "#shared/ui/toast.ts";
import { subscriptionChange, subscriptions } from "./subscriptions.queries.ts";

export function AuditViews() {
  const shown = useShownView("audit");
  return (
    <Group gap="xs">
      <SavedViewsMenu list="audit" columns={null} />
      {shown !== undefined && <SubscriptionMenu key={shown.id} view={shown} />}
    </Group>
  );
}

const CADENCES: readonly { value: SubscriptionCadence; label: string }[] = [
  { value: "minute", label: "Within a minute" },
  { value: "hourly", label: "Every hour" },
  { value: "daily", label: "Every day" },
];

function SubscriptionMenu({ view }: { view: SavedView }) {
  const list = useQuery(subscriptions);
  const change = useMutation(subscriptionChange(useQueryClient(), view.id));
  if (list.data === undefined) return null;
  const current = list.data.subscriptions.find(({ view_id }) => view_id === view.id);
  const choose = (cadence: SubscriptionCadence | null) =>
    change.mutate(cadence, {
      onSuccess: () => toast.success(cadence === null ? "Subscription ended" : `Subscribed to "${view.name}"`),
      onError: (error) => toast.error(`Failed to change the subscription: ${messageOf(error)}`),
    });
  return (
    <Menu position="bottom-start" width={260}>
      <Menu.Target>
        <Button
          variant={current === undefined ? "default" : "light"}
          leftSection={<BellOf current={current} />}
          loading={change.isPending}
        >
          {current === undefined ? "Subscribe" : "Subscribed"}
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Label>{current?.problem ?? "Notify me of new entries in this view"}</Menu.Label>
        <Menu.RadioGroup
          value={current?.cadence ?? null}
          onChange={(value) => choose(CADENCES.find((each) => each.value === value)!.value)}
        >
          {CADENCES.map(({ value, label }) => (
            <Menu.RadioItem key={value} value={value} closeMenuOnClick>
              {label}
            </Menu.RadioItem>
          ))}
        </Menu.RadioGroup>
        {current !== undefined && (
          <>
            <Menu.Divider />
            <Menu.Item onClick={() => choose(null)}>End Subscription</Menu.Item>
          </>
        )}
      </Menu.Dropdown>
    </Menu>
  );
}

function BellOf({ current }: { current: AuditSubscription | undefined }) {
  const Bell = current === undefined ? IconBell : IconBellRinging;
  return <Bell size={16} aria-hidden />;
}
