import NextLink from "next/link";

/**
 * A link that asks for nothing before it is followed. Every page is made when it is asked for, so there is little to have
 * ready, and a list would ask once for each of its rows.
 */
export function Link(props: React.ComponentProps<typeof NextLink>) {
  return <NextLink prefetch={false} {...props} />;
}
