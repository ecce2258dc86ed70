// The menu that exports the listed findings in one of four formats.
import { Button, Menu } from "@mantine/core";
import { IconDownload } from "@tabler/icons-react";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { toast } from "#shared/ui/toast.ts";
import { findingsExport, type ExportFilters, type ExportFormat } from "./findings.queries.ts";

const FORMATS: Record<ExportFormat, string> = { excel: "Excel", csv: "CSV", json: "JSON", sarif: "SARIF" };

/** FIND-17, FIND-20. */
export function ExportMenu({ filters }: { filters: ExportFilters }) {
  const { mutate, isPending } = useMutation(findingsExport(filters));
  return (
    <Menu position="bottom-end">
      <Menu.Target>
        <Button variant="default" loading={isPending} leftSection={<IconDownload size={16} aria-hidden />}>
          Export
        </Button>
      </Menu.Target>
      <Menu.Dropdown>
        {(Object.keys(FORMATS) as ExportFormat[]).map((format) => (
          <Menu.Item
            key={format}
            onClick={() =>
              mutate(format, {
                onSuccess: () => toast.success("Security findings exported successfully"),
                onError: (error) => toast.error(messageOf(error), { title: "Failed to export findings" }),
              })
            }
          >
            {FORMATS[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
}
