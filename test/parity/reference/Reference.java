/**
 * Kafka Streams' own answers. A case that gives partition counts is of the family `topology`, any other of `processing`.
 */
public final class Reference {
  private Reference() {}

  public static void main(String[] args) throws Exception {
    Lines.answerAll(
        given -> given.has("partitions") ? new TopologyRun(given).answer() : new CaseRun(given).answer());
  }
}
