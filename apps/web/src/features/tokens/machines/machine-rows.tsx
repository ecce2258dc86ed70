// The list of machine identities: role, responsible user, tokens, last use and actions.
import { ActionIcon, Menu } from "@mantine/core";
import {
  IconDots,
  IconKey,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconRobot,
  IconTrash,
} from "@tabler/icons-react";
import type { MachineIdentity } from "@strongroom/contract";
import { capitalised, counted } from "#shared/format/text.ts";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { StatusBadge } from "#shared/ui/status-badge.tsx";
import { Tag } from "#shared/ui/tag.tsx";

export type MachineDialogName = "tokens" | "token" | "edit" | "disable" | "delete";
type OpenMachine = (dialog: MachineDialogName, machine: MachineIdentity) => void;

interface MachineRowsProps {
  machines: readonly MachineIdentity[];
  onOpen: OpenMachine;
  onEnable: (machine: MachineIdentity) => void;
}

export function MachineRows({ machines, ...acts }: MachineRowsProps) {
  return (
    <RowList label="Machine identities">
      {machines.map((machine) => (
        <MachineRow key={machine.id} machine={machine} {...acts} />
      ))}
    </RowList>
  );
}

type MachineRowProps = Omit<MachineRowsProps, "machines"> & { machine: MachineIdentity };

function MachineRow({ machine, onOpen, onEnable }: MachineRowProps) {
  const { name, description, role, status, responsible, active_tokens: tokens } = machine;
  return (
    <Row
      icon={<IconRobot size={18} stroke={1.6} aria-hidden />}
      name={
        <>
          {name} <Tag>{capitalised(role)}</Tag>
          {status === "disabled" && <StatusBadge status="inactive" label="Disabled" />}
          {responsible === null && <Tag tone="warning">No one responsible</Tag>}
        </>
      }
      actions={<MachineMenu machine={machine} onOpen={onOpen} onEnable={onEnable} />}
    >
      {description !== null && <RowDetail>{description}</RowDetail>}
      <RowDetail>
        {responsible !== null && <>Responsible: {responsible.name} · </>}
        {counted(tokens, "active token", "active tokens")} · Last used: <RelativeTime moment={machine.last_used_at} />
      </RowDetail>
    </Row>
  );
}

const SIZE = 16;

function MachineMenu({ machine, onOpen, onEnable }: MachineRowProps) {
  const open = (dialog: MachineDialogName) => () => onOpen(dialog, machine);
  return (
    // Not in a portal, so that the menu stays inside the page's landmarks; no focus placeholder, because it is not a
    // menu item.
    <Menu position="bottom-end" withinPortal={false} withInitialFocusPlaceholder={false}>
      <Menu.Target>
        <ActionIcon aria-label={`Actions for ${machine.name}`}>
          <IconDots size={SIZE} aria-hidden />
        </ActionIcon>
      </Menu.Target>
      <Menu.Dropdown>
        <Menu.Item leftSection={<IconKey size={SIZE} aria-hidden />} onClick={open("tokens")}>
          Tokens
        </Menu.Item>
        <Menu.Item leftSection={<IconPencil size={SIZE} aria-hidden />} onClick={open("edit")}>
          Edit
        </Menu.Item>
        <Menu.Divider />
        {machine.status === "active" ? (
          <Menu.Item leftSection={<IconPlayerPause size={SIZE} aria-hidden />} onClick={open("disable")}>
            Disable
          </Menu.Item>
        ) : (
          <Menu.Item leftSection={<IconPlayerPlay size={SIZE} aria-hidden />} onClick={() => onEnable(machine)}>
            Enable
          </Menu.Item>
        )}
        <Menu.Item
          c="var(--mantine-color-error)"
          leftSection={<IconTrash size={SIZE} aria-hidden />}
          onClick={open("delete")}
        >
          Delete
        </Menu.Item>
      </Menu.Dropdown>
    </Menu>
  );
}
