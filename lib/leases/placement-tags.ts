/** Tags that the machinery itself gives members. Pure. */

type Tags = Readonly<Record<string, string>>;

/** The tag of a member that holds the request id of the invocation that runs it, by which its failure is told to the scheduler. */
export const REQUEST_ID_TAG = 'lambda.request.id';

/** What tags say of where a member is and what it can bear. Its request id is another with each incarnation, and says nothing of that. */
export function placementTags(tags: Tags): Tags {
  const { [REQUEST_ID_TAG]: _, ...others } = tags;
  return others;
}
