// Lists the users who gain access when accounts move into another user's safe, and asks for confirmation.
import { List, Stack, Text } from "@mantine/core";
import { SAFE_PERMISSION_LABELS, type PeopleGainingAccess } from "@strongroom/contract";
import { useEffect, useRef, useState } from "react";
import { configureCalls } from "#shared/api/call.ts";
import { ConfirmDialog } from "#shared/ui/confirm-dialog.tsx";
import classes from "./people-gaining-access.module.css";

export default function PeopleGainingAccessDialog() {
  const [asked, setAsked] = useState<PeopleGainingAccess | null>(null);
  const settle = useRef<((agrees: boolean) => void) | null>(null);

  useEffect(() => {
    configureCalls({
      confirmPeople: (people) => {
        // A second question replaces the first one, which counts as declined.
        settle.current?.(false);
        return new Promise<boolean>((resolve) => {
          settle.current = (agrees) => {
            settle.current = null;
            setAsked(null);
            resolve(agrees);
          };
          setAsked(people);
        });
      },
    });
    return () => configureCalls({ confirmPeople: async () => false });
  }, []);

  if (asked === null) return null;
  return (
    <ConfirmDialog
      opened
      isOnTop
      title="Give these people access?"
      confirmLabel="Give Access"
      onConfirm={() => settle.current?.(true)}
      onCancel={() => settle.current?.(false)}
    >
      <People {...asked} />
    </ConfirmDialog>
  );
}

function People({ safe_name, people, total }: PeopleGainingAccess) {
  return (
    <Stack gap="sm">
      <Text size="sm">
        Another user added you to the safe <strong>{safe_name}</strong>. Its members get access to the accounts that you
        move there:
      </Text>
      <List className={classes.people} aria-label="People who gain access" size="sm" spacing={6} listStyleType="none">
        {people.map(({ name, hint, can }) => (
          <List.Item key={`${name} ${hint}`}>
            <Text size="sm" fw={560} component="span">
              {hint === null ? name : `${name} (${hint})`}
            </Text>
            <Text size="xs" c="dimmed">
              {can.map((permission) => SAFE_PERMISSION_LABELS[permission]).join(", ")}
            </Text>
          </List.Item>
        ))}
      </List>
      {total > people.length && (
        <Text size="sm" c="dimmed">
          and {total - people.length} more
        </Text>
      )}
      <Text size="sm" c="dimmed">
        Nothing has been moved yet.
      </Text>
    </Stack>
  );
}
