import { Anchor, Stack, Text, Title } from '@mantine/core';
import { Link } from '@tanstack/react-router';

export function NotFound() {
  return (
    <Stack p="xl" component="main">
      <Title order={1}>There is no such page</Title>
      <Text>The address may be mistyped, or of an area that this build does not have.</Text>
      <Anchor component={Link} to="/">
        Go to the start
      </Anchor>
    </Stack>
  );
}
