// "Export": saves the filtered list as JSON or in a format for other tools (AUDIT-11, AUDIT-20).
import { ActionIcon, Button, Group, Menu } from "@mantine/core";
import { IconChevronDown, IconDownload } from "@tabler/icons-react";
import { useQueryClient } from "@tanstack/react-query";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import type { AuditQuery } from "./audit-filter.ts";
import { LOG_FORMATS, logsDownload, type LogFormat } from "./audit.queries.ts";

const OTHERS = (Object.keys(LOG_FORMATS) as LogFormat[]).filter((format) => format !== "json");

export function ExportMenu({ query }: { query: AuditQuery }) {
  const { mutate, isPending } = useMutation(logsDownload(useQueryClient()));
  const save = (format: LogFormat) =>
    mutate(
      { query, format },
      {
        onSuccess: () => toast.success("Audit logs exported"),
        onError: (error) => toast.error(`Failed to export the audit logs: ${messageOf(error)}`),
      },
    );
  return (
    <Group gap={1} wrap="nowrap">
      <Button
        size="compact-md"
        variant="default"
        leftSection={<IconDownload size={15} aria-hidden />}
        onClick={() => save("json")}
        loading={isPending}
      >
        Export
      </Button>
      <Menu position="bottom-end">
        <Menu.Target>
          <ActionIcon variant="default" size={30} aria-label="Export in another format">
            <IconChevronDown size={15} aria-hidden />
          </ActionIcon>
        </Menu.Target>
        <Menu.Dropdown>
          {OTHERS.map((format) => (
            <Menu.Item key={format} onClick={() => save(format)}>
              {LOG_FORMATS[format].label}
            </Menu.Item>
          ))}
        </Menu.Dropdown>
      </Menu>
    </Group>
  );
}
