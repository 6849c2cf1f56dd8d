import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ArrayNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import org.apache.kafka.common.Cluster;
import org.apache.kafka.common.Node;
import org.apache.kafka.common.PartitionInfo;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.utils.Time;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.Topology;
import org.apache.kafka.streams.errors.MissingSourceTopicException;
import org.apache.kafka.streams.processor.TaskId;
import org.apache.kafka.streams.processor.internals.ChangelogTopics;
import org.apache.kafka.streams.processor.internals.InternalTopicConfig;
import org.apache.kafka.streams.processor.internals.InternalTopicManager;
import org.apache.kafka.streams.processor.internals.InternalTopologyBuilder;
import org.apache.kafka.streams.processor.internals.InternalTopologyBuilder.TopicsInfo;
import org.apache.kafka.streams.processor.internals.PartitionGrouper;
import org.apache.kafka.streams.processor.internals.RepartitionTopics;
import org.apache.kafka.streams.processor.internals.TopologyMetadata;
import org.apache.kafka.streams.processor.internals.TopologyMetadata.Subtopology;
import org.apache.kafka.streams.processor.internals.assignment.CopartitionedTopicsEnforcer;

/**
 * One case of the family `topology`: what Kafka's assignor computes from the topology and the partition counts of its topics.
 *
 * Where no repartition topic is involved Kafka Streams does not check that joined topics have one count; here it is always checked.
 */
final class TopologyRun {
  private static final long ADDITIONAL_RETENTION_MS = 24 * 60 * 60 * 1000L;
  private static final List<String> ANSWERS = List.of("topologyDescription", "copartitionGroups", "subtopologies",
      "globalStores", "tasks", "repartitionTopicConfigs", "error", "errorAt");

  private final ObjectNode answer;
  private final Map<String, Integer> partitions = new TreeMap<>();

  TopologyRun(ObjectNode given) {
    answer = given.deepCopy();
    answer.remove(ANSWERS);
    answer.get("partitions").fields().forEachRemaining(
        entry -> partitions.put(entry.getKey(), entry.getValue().asInt()));
  }

  ObjectNode answer() {
    Properties properties = CaseConfig.of(answer);
    Topology topology;
    try {
      JsonNode of = answer.get("topology");
      Topics topics = new Topics();
      topology = of.has("papi") ? PapiTopology.build(of, topics) : DslTopology.build(of, topics, properties);
    } catch (RuntimeException thrown) {
      return failed(thrown, "build");
    }
    answer.put("topologyDescription", topology.describe().toString());
    StreamsConfig config = new StreamsConfig(properties);
    InternalTopologyBuilder builder = (InternalTopologyBuilder) Decoder.field(topology, "internalTopologyBuilder");
    TopologyMetadata metadata = new TopologyMetadata(builder, config);
    metadata.buildAndRewriteTopology();
    ArrayNode groups = answer.putArray("copartitionGroups");
    for (Set<String> group : metadata.copartitionGroups()) putSorted(groups.addArray(), group);
    try {
      assign(builder, metadata, new NoTopics(config));
    } catch (RuntimeException thrown) {
      failed(thrown, "assign");
    }
    return answer;
  }

  private void assign(InternalTopologyBuilder builder, TopologyMetadata metadata, InternalTopicManager manager) {
    Map<Subtopology, TopicsInfo> infos = new TreeMap<>(builder.subtopologyToTopicsInfo());
    Cluster existing = cluster(partitions);
    var enforcer = new CopartitionedTopicsEnforcer("");
    var repartition = new RepartitionTopics(metadata, manager, enforcer, existing, "");
    repartition.setup();
    if (!repartition.missingSourceTopics().isEmpty())
      throw new MissingSourceTopicException("Missing source topics. " + new TreeSet<>(repartition.missingSourceTopics()));
    if (repartition.topicPartitionsInfo().isEmpty())
      for (Set<String> group : metadata.copartitionGroups()) enforcer.enforce(group, new HashMap<>(), existing);
    Map<String, Integer> counts = new TreeMap<>(partitions);
    for (TopicPartition at : repartition.topicPartitionsInfo().keySet())
      counts.merge(at.topic(), at.partition() + 1, Math::max);
    Map<Subtopology, Set<String>> sources = new HashMap<>();
    infos.forEach((part, info) -> sources.put(part, info.sourceTopics));
    var inputs = new TreeMap<>(new PartitionGrouper().partitionGroups(sources, cluster(counts)));
    Map<Subtopology, Set<TaskId>> tasks = new HashMap<>();
    for (TaskId task : inputs.keySet())
      tasks.computeIfAbsent(new Subtopology(task.subtopology(), null), part -> new HashSet<>()).add(task);
    // Each set of infos has configs of its own: what the repartition topics were given is known by the cluster alone.
    for (TopicsInfo info : infos.values())
      info.repartitionSourceTopics.forEach((topic, config) -> {
        if (config.numberOfPartitions().isEmpty()) config.setNumberOfPartitions(counts.get(topic));
      });
    var changelogs = new ChangelogTopics(manager, infos, tasks, "");
    changelogs.setup();
    putSubtopologies(builder, infos, tasks);
    putGlobalStores(builder);
    putTasks(inputs, changelogs);
    putRepartitionTopics(infos.values());
  }

  private void putSubtopologies(
      InternalTopologyBuilder builder, Map<Subtopology, TopicsInfo> infos, Map<Subtopology, Set<TaskId>> tasks) {
    ArrayNode list = answer.putArray("subtopologies");
    infos.forEach((part, info) -> {
      int id = (int) Decoder.field(part, "nodeGroupId");
      ObjectNode node = list.addObject();
      node.put("id", id);
      putSorted(node.putArray("sourceTopics"), info.sourceTopics);
      putSorted(node.putArray("sinkTopics"), info.sinkTopics);
      putSorted(node.putArray("stores"), builder.stateStoreNamesForSubtopology(id));
      ObjectNode repartition = node.putObject("repartitionSourceTopics");
      info.repartitionSourceTopics.forEach((topic, config) -> repartition.put(topic, config.numberOfPartitions().get()));
      ObjectNode changelogs = node.putObject("changelogTopics");
      for (InternalTopicConfig config : info.nonSourceChangelogTopics()) putConfig(changelogs.putObject(config.name()), config);
      for (String topic : info.sourceTopicChangelogs()) {
        int count = tasks.get(part).stream().mapToInt(TaskId::partition).max().orElse(-1) + 1;
        changelogs.putObject(topic).put("sourceTopicReused", true).put("partitions", count);
      }
    });
  }

  private void putGlobalStores(InternalTopologyBuilder builder) {
    var global = builder.buildGlobalStateTopology();
    Set<String> names = builder.globalStateStores().keySet();
    Set<String> stores = new TreeSet<>();
    if (global != null)
      global.storeToChangelogTopic().forEach((store, topic) -> {
        if (names.contains(store)) stores.add(topic + " -> " + store);
      });
    putSorted(answer.putArray("globalStores"), stores);
  }

  private void putTasks(Map<TaskId, Set<TopicPartition>> inputs, ChangelogTopics changelogs) {
    ObjectNode tasks = answer.putObject("tasks");
    inputs.forEach((task, read) -> {
      ObjectNode node = tasks.putObject(task.toString());
      putPartitions(node.putArray("inputPartitions"), read);
      putPartitions(
          node.putArray("changelogPartitions"), changelogs.changelogPartionsForTask().getOrDefault(task, Set.of()));
      node.put("stateful", changelogs.statefulTaskIds().contains(task));
    });
  }

  private void putRepartitionTopics(Collection<TopicsInfo> infos) {
    Map<String, InternalTopicConfig> configs = new TreeMap<>();
    for (TopicsInfo info : infos) configs.putAll(info.repartitionSourceTopics);
    ArrayNode list = answer.putArray("repartitionTopicConfigs");
    configs.forEach((topic, config) -> putConfig(list.addObject().put("topic", topic), config));
  }

  private static void putConfig(ObjectNode node, InternalTopicConfig config) {
    node.put("partitions", config.numberOfPartitions().get());
    ObjectNode properties = node.putObject("config");
    new TreeMap<>(config.properties(Map.of(), ADDITIONAL_RETENTION_MS)).forEach(properties::put);
  }

  private static void putSorted(ArrayNode list, Collection<String> texts) {
    for (String text : new TreeSet<>(texts)) list.add(text);
  }

  private static void putPartitions(ArrayNode list, Collection<TopicPartition> all) {
    Map<String, Set<Integer>> byTopic = new TreeMap<>();
    for (TopicPartition at : all) byTopic.computeIfAbsent(at.topic(), topic -> new TreeSet<>()).add(at.partition());
    byTopic.forEach((topic, some) -> some.forEach(partition -> list.add(topic + "-" + partition)));
  }

  private static Cluster cluster(Map<String, Integer> counts) {
    List<PartitionInfo> all = new ArrayList<>();
    Node[] none = {};
    counts.forEach((topic, count) -> {
      for (int partition = 0; partition < count; partition += 1)
        all.add(new PartitionInfo(topic, partition, Node.noNode(), none, none));
    });
    return new Cluster("cluster", List.of(), all, Set.of(), Set.of());
  }

  private ObjectNode failed(Throwable thrown, String at) {
    answer.put("error", CaseRun.chain(thrown));
    answer.put("errorAt", at);
    return answer;
  }

  /** Creates every internal topic at once: there is no broker. */
  private static final class NoTopics extends InternalTopicManager {
    NoTopics(StreamsConfig config) {
      super(Time.SYSTEM, null, config);
    }

    @Override
    public Set<String> makeReady(Map<String, InternalTopicConfig> topics) {
      return topics.keySet();
    }
  }
}
