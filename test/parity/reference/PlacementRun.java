import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.UUID;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.assignment.AssignmentConfigs;
import org.apache.kafka.streams.processor.assignment.ProcessId;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.ClientState;
import org.apache.kafka.streams.processor.internals.assignment.FallbackPriorTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.HighAvailabilityTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.LegacyTaskAssignor;
import org.apache.kafka.streams.processor.internals.assignment.RackAwareTaskAssignor;

/** One placement by Kafka Streams' assignors; process ids are in the order of the clients of the case. */
final class PlacementRun {
  private static final long RUNNING = -2;
  private static final ObjectMapper JSON = new ObjectMapper();

  private final JsonNode given;
  private final AssignmentConfigs configs;
  private final TreeMap<ProcessId, ClientState> clients = new TreeMap<>();
  private final Map<ProcessId, String> names = new TreeMap<>();
  private final TreeSet<TaskId> stateful;
  private final TreeSet<TaskId> all;

  PlacementRun(JsonNode given) {
    this.given = given;
    configs = configs(given.get("config"));
    stateful = tasks(given.get("tasks").get("stateful"));
    all = tasks(given.get("tasks").get("stateless"));
    all.addAll(stateful);
  }

  ObjectNode withLags() {
    addClients(false);
    return run(new HighAvailabilityTaskAssignor(), all);
  }

  ObjectNode withoutLags() {
    addClients(false);
    return run(new FallbackPriorTaskAssignor(), all);
  }

  /** What is aimed at: the placement of stateful tasks if nobody lacked anything. */
  ObjectNode asIfCaughtUp() {
    addClients(true);
    return run(new HighAvailabilityTaskAssignor(), stateful);
  }

  private ObjectNode run(LegacyTaskAssignor assignor, Set<TaskId> tasks) {
    RackAwareTaskAssignor racks = racks();
    boolean followUp = assignor.assign(clients, tasks, stateful, racks, configs);
    ObjectNode answer = JSON.createObjectNode();
    ObjectNode placed = answer.putObject("clients");
    clients.forEach((id, state) -> {
      ObjectNode client = placed.putObject(names.get(id));
      client.set("active", ids(state.activeTasks()));
      client.set("standby", ids(state.standbyTasks()));
    });
    answer.put("followupRebalance", followUp);
    if (assignor instanceof HighAvailabilityTaskAssignor)
      answer.put("rackAwareEnabled", racks.canEnableRackAwareAssignor());
    return answer;
  }

  private void addClients(boolean caughtUp) {
    given.get("clients").fields().forEachRemaining(entry -> {
      JsonNode client = entry.getValue();
      ProcessId id = new ProcessId(new UUID(0, names.size() + 1));
      names.put(id, entry.getKey());
      Map<TaskId, Long> lags = new HashMap<>();
      if (client.has("lags")) for (TaskId task : stateful) {
        JsonNode lag = client.get("lags").path(task.toString());
        lags.put(task, caughtUp ? RUNNING : (lag.isMissingNode() ? client.get("otherLags") : lag).asLong());
      }
      Map<String, String> tags = new TreeMap<>();
      client.path("tags").fields().forEachRemaining(tag -> tags.put(tag.getKey(), tag.getValue().asText()));
      clients.put(id, new ClientState(tasks(client.get("prevActive")), tasks(client.get("prevStandby")), lags, tags,
          client.get("capacity").asInt(), id));
    });
  }

  private RackAwareTaskAssignor racks() {
    Map<TaskId, Set<TopicPartition>> inputs = new HashMap<>();
    Map<TaskId, Set<TopicPartition>> changelogs = new HashMap<>();
    Map<Subtopology, Set<TaskId>> groups = new HashMap<>();
    for (TaskId task : all) {
      inputs.put(task, Set.of(new TopicPartition("in" + task.subtopology(), task.partition())));
      groups.computeIfAbsent(new Subtopology(task.subtopology(), null), none -> new TreeSet<>()).add(task);
    }
    for (TaskId task : stateful) {
      String topic = "app-store" + task.subtopology() + "-changelog";
      changelogs.put(task, Set.of(new TopicPartition(topic, task.partition())));
    }
    Map<ProcessId, Map<String, Optional<String>>> racks = new HashMap<>();
    names.forEach((id, name) -> {
      JsonNode rack = given.get("clients").get(name).path("rack");
      racks.put(id, Map.of("consumer", rack.isMissingNode() ? Optional.empty() : Optional.of(rack.asText())));
    });
    var zones = new PartitionRacks(given.path("partitionRacks"));
    return new RackAwareTaskAssignor(zones.cluster(), inputs, changelogs, groups, racks, zones.topics(), configs,
        Time.SYSTEM);
  }

  private static AssignmentConfigs configs(JsonNode config) {
    List<String> tags = new ArrayList<>();
    config.path("rack.aware.assignment.tags").forEach(tag -> tags.add(tag.asText()));
    return new AssignmentConfigs(
        config.get("acceptable.recovery.lag").asLong(),
        config.get("max.warmup.replicas").asInt(),
        config.get("num.standby.replicas").asInt(),
        60_000L,
        tags,
        cost(config.path("rack.aware.assignment.traffic_cost")),
        cost(config.path("rack.aware.assignment.non_overlap_cost")),
        config.path("rack.aware.assignment.strategy").asText("none"));
  }

  private static OptionalInt cost(JsonNode of) {
    return of.isMissingNode() ? OptionalInt.empty() : OptionalInt.of(of.asInt());
  }

  private static TreeSet<TaskId> tasks(JsonNode ids) {
    TreeSet<TaskId> tasks = new TreeSet<>();
    ids.forEach(id -> tasks.add(TaskId.parse(id.asText())));
    return tasks;
  }

  private static ArrayNode ids(Set<TaskId> tasks) {
    ArrayNode ids = JSON.createArrayNode();
    new TreeSet<>(tasks).forEach(task -> ids.add(task.toString()));
    return ids;
  }
}
