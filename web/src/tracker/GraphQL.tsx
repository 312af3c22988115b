import { GraphQLPage } from '../graphql/Page';
import { useTracker } from './context';

/** The console of the tracker, within its area. */
export const GraphQL = () => <GraphQLPage env={useTracker().env} />;
