// Tags: short labels on accounts and safes, by which users filter lists.
import { z } from "zod";
import { oneLine } from "./fields.ts";

const TAG_RULE = "A tag has at most 40 letters, digits, spaces and . _ : @ / -, and starts with a letter or digit";

/** In lower case, so that `PCI` and `pci` are one tag. Has no comma, which separates tags in CSV. */
export const Tag = oneLine()
  .toLowerCase()
  .min(1, TAG_RULE)
  .max(40, TAG_RULE)
  .regex(/^[\p{L}\p{N}][\p{L}\p{N} ._:@/-]*$/u, TAG_RULE);

export const MOST_TAGS = 20;

/** Sorted, each tag once. */
export const Tags = z
  .array(Tag)
  .max(MOST_TAGS, `At most ${MOST_TAGS} tags`)
  .overwrite((tags) => [...new Set(tags)].toSorted());
