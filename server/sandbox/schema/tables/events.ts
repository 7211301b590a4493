/** Fields of the messages in api.events.v1; the notation is described in parse-table.ts. */
export const eventsTable = `
Event metadata!=1:meta.ObjectMeta eventTime!=2:M series=3:EventSeries reportingController=4:s reportingInstance=5:s action=6:s reason=7:s regarding=8:core.ObjectReference related=9:core.ObjectReference note=10:s type=11:s deprecatedSource=12:core.EventSource deprecatedFirstTimestamp=13:T deprecatedLastTimestamp=14:T deprecatedCount=15:i
EventSeries count!=1:i lastObservedTime!=2:M
`;
