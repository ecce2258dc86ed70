// The members of a group; administrators can add and remove them.
import { ActionIcon, Button } from "@mantine/core";
import { IconTrash, IconUser, IconUsersGroup } from "@tabler/icons-react";
import { isMachineAddress, type Group, type GroupMember, type ReplyOf, type listUsers } from "@strongroom/contract";
import { useInfiniteQuery, useQueryClient } from "@tanstack/react-query";
import { useState } from "react";
import { ChangePreview } from "#shared/access-preview/change-preview.tsx";
import { messageOf } from "#shared/api/call-error.ts";
import { useMutation } from "#shared/api/use-mutation.ts";
import { DeleteDialog } from "#shared/ui/confirm-action-dialog.tsx";
import { Loaded } from "#shared/ui/loaded.tsx";
import { MachineBadge } from "#shared/ui/machine-badge.tsx";
import { LoadMore } from "#shared/ui/load-more.tsx";
import { Modal, type DialogProps } from "#shared/ui/modal.tsx";
import { Row, RowDetail, RowList } from "#shared/ui/row-list.tsx";
import { SearchSelect, type Found } from "#shared/ui/search-select.tsx";
import { EmptyState } from "#shared/ui/states.tsx";
import { toast } from "#shared/ui/toast.ts";
import { addition, groupPeople, peopleFound, removal } from "./groups.queries.ts";
import classes from "./groups.module.css";

export interface GroupPeopleDialogProps extends DialogProps {
  group: Group;
  canManage: boolean;
}

export function GroupPeopleDialog({ group, canManage, opened, onClose }: GroupPeopleDialogProps) {
  return (
    <Modal opened={opened} onClose={onClose} title={`Members of ${group.name}`}>
      {canManage && <AddPerson group={group} />}
      <People group={group} canManage={canManage} />
    </Modal>
  );
}

const foundIn = ({ data }: ReplyOf<typeof listUsers>): Found[] =>
  data.map(({ id, name, email }) => ({
    value: id,
    label: name,
    hint: email,
    icon: <IconUser size={16} aria-hidden />,
  }));

function AddPerson({ group }: { group: Group }) {
  const { mutate, isPending } = useMutation(addition(useQueryClient(), group.id));
  const [chosen, setChosen] = useState<Found | null>(null);
  // Changing the key clears the search field after each added member.
  const [round, setRound] = useState(0);
  const add = () => {
    if (chosen === null) return;
    mutate(chosen.value, {
      onSuccess: ({ name }) => {
        toast.success(`${name} added to "${group.name}"`);
        setChosen(null);
        setRound(round + 1);
      },
      onError: (error) => toast.error(messageOf(error), { title: "Failed to add person" }),
    });
  };
  return (
    <div className={classes.add}>
      <div className={classes.addWho}>
        <SearchSelect
          key={round}
          label="Add a person"
          placeholder="Search by name or email"
          value={chosen}
          onChange={setChosen}
          search={peopleFound}
          foundIn={foundIn}
        />
      </div>
      <Button onClick={add} loading={isPending} disabled={chosen === null}>
        Add
      </Button>
      {chosen !== null && (
        <div className={classes.addPreview}>
          <ChangePreview change={{ kind: "group-member-added", group_id: group.id, user_id: chosen.value }} />
        </div>
      )}
    </div>
  );
}

function People({ group, canManage }: { group: Group; canManage: boolean }) {
  const people = useInfiniteQuery(groupPeople(group.id));
  const [leaving, setLeaving] = useState<GroupMember | null>(null);
  const [isAsking, setIsAsking] = useState(false);

  return (
    <>
      <Loaded query={people}>
        {({ pages }) => {
          const found = pages.flatMap((page) => page.members);
          if (found.length === 0) return <EmptyState icon={IconUsersGroup} title="This group is empty" />;
          return (
            <>
              <RowList label={`Members of ${group.name}`}>
                {found.map((person) => (
                  <Row
                    key={person.user_id}
                    name={person.name}
                    actions={
                      canManage && (
                        <ActionIcon
                          aria-label={`Remove ${person.name}`}
                          onClick={() => {
                            setLeaving(person);
                            setIsAsking(true);
                          }}
                        >
                          <IconTrash size={16} aria-hidden />
                        </ActionIcon>
                      )
                    }
                  >
                    <RowDetail>
                      {isMachineAddress(person.email) ? <MachineBadge email={person.email} /> : person.email}
                    </RowDetail>
                  </Row>
                ))}
              </RowList>
              <LoadMore of={people} />
            </>
          );
        }}
      </Loaded>
      <DeleteDialog
        opened={isAsking}
        title="Remove Person"
        confirmLabel="Remove"
        mutation={removal(useQueryClient(), group.id, leaving?.user_id ?? "")}
        done={`${leaving?.name} is no longer in "${group.name}"`}
        failed="Failed to remove person"
        onClose={() => setIsAsking(false)}
      >
        <p>
          Remove <strong>{leaving?.name}</strong> from <strong>{group.name}</strong>? They immediately lose the access
          that the group gives them.
        </p>
        <ChangePreview
          change={
            leaving === null ? null : { kind: "group-member-removed", group_id: group.id, user_id: leaving.user_id }
          }
        />
      </DeleteDialog>
    </>
  );
}
