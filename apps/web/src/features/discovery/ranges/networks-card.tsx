// The networks that range scans may touch; administrators change the list.
import { Button, TextInput } from "@mantine/core";
import { IconPlus, IconTrash } from "@tabler/icons-react";
import { allowDiscoveryNetwork, type DiscoveryNetwork } from "@strongroom/contract";
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { fieldErrorsOf, firstObjections } from "#shared/api/field-errors.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { useUser } from "#shared/session/session-store.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Form } from "#shared/ui/form.tsx";
import { FormDialog } from "#shared/ui/form-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import type { DialogProps } from "#shared/ui/modal.tsx";
import { RelativeTime } from "#shared/ui/relative-time.tsx";
import { NoRows, Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SectionCard } from "#shared/ui/section-card.tsx";
import { allowedNetworks, networkAllowance, networkRemoval } from "./ranges.queries.ts";

export function NetworksCard() {
  const networks = useQuery(allowedNetworks);
  const isAdmin = useUser().role === "admin";
  const [isAllowing, setIsAllowing] = useState(false);
  const [removed, setRemoved] = useState<DiscoveryNetwork | null>(null);
  return (
    <SectionCard
      title="Allowed Networks"
      description="Range scans touch only these networks. Administrators change the list."
      actions={
        isAdmin && (
          <Button
            variant="default"
            leftSection={<IconPlus size={16} aria-hidden />}
            onClick={() => setIsAllowing(true)}
          >
            Allow Network
          </Button>
        )
      }
    >
      <Loaded query={networks}>
        {({ data }) =>
          data.length === 0 ? (
            <NoRows>No network is allowed. Range scans cannot start.</NoRows>
          ) : (
            <RowList label="Allowed networks">
              {data.map((each) => (
                <Row
                  key={each.id}
                  name={each.network}
                  actions={
                    isAdmin && (
                      <Button
                        size="compact-sm"
                        variant="light"
                        color="red"
                        aria-label={`Remove ${each.network}`}
                        leftSection={<IconTrash size={15} aria-hidden />}
                        onClick={() => setRemoved(each)}
                      >
                        Remove
                      </Button>
                    )
                  }
                >
                  {each.description !== null && <RowDetail>{each.description}</RowDetail>}
                  <RowDetail>
                    Allowed by {each.created_by} <RelativeTime moment={each.created_at} />
                  </RowDetail>
                </Row>
              ))}
            </RowList>
          )
        }
      </Loaded>
      <AllowDialog opened={isAllowing} onClose={() => setIsAllowing(false)} />
      {removed !== null && <RemoveDialog network={removed} opened onClose={() => setRemoved(null)} />}
    </SectionCard>
  );
}

const isNetwork = (path: string): path is "network" => path === "network";

function AllowDialog(props: DialogProps) {
  const { mutateAsync: allow } = useMutation(networkAllowance(useQueryClient()));
  return (
    <FormDialog
      {...props}
      title="Allow Network"
      initial={{ network: "", description: "" }}
      submitLabel="Allow Network"
      failureText="Failed to allow the network"
      save={allow}
      done="Network allowed successfully"
    >
      {(dialog) => (
        <Form
          {...dialog}
          check={(values) => firstObjections(allowDiscoveryNetwork.body!, values)}
          objectionsIn={(error) => fieldErrorsOf(error, isNetwork)}
        >
          {(form) => (
            <>
              <TextInput
                label="Network"
                required
                maxLength={100}
                placeholder="10.0.0.0/16"
                data-autofocus
                {...form.getInputProps("network")}
              />
              <TextInput label="Description" maxLength={500} {...form.getInputProps("description")} />
            </>
          )}
        </Form>
      )}
    </FormDialog>
  );
}

function RemoveDialog({ network, ...props }: DialogProps & { network: DiscoveryNetwork }) {
  return (
    <DeleteDialog
      {...props}
      title="Remove Network"
      confirmLabel="Remove"
      mutation={networkRemoval(useQueryClient(), network.id)}
      done="Network removed successfully"
      failed="Failed to remove the network"
    >
      <p>
        Remove <strong>{network.network}</strong>? New range scans cannot touch it. Targets that were found there stay.
      </p>
    </DeleteDialog>
  );
}
