import com.fasterxml.jackson.databind.node.ObjectNode;

/**
 * Kafka Streams' own placements: a step of a case of the family `assignment`, with what its assignor answers as `expected`.
 *
 * The answer has under `standby` what the library has there, warm-ups included, and no measures or movements.
 */
public final class Placements {
  private Placements() {}

  public static void main(String[] args) throws Exception {
    Lines.answerAll(
        given -> {
          given.set("expected", answer(given));
          return given;
        });
  }

  private static ObjectNode answer(ObjectNode given) {
    if (given.get("assignor").asText().equals("FallbackPrior")) return new PlacementRun(given).withoutLags();
    ObjectNode answer = new PlacementRun(given).withLags();
    answer.set("target", new PlacementRun(given).asIfCaughtUp().get("clients"));
    return answer;
  }
}
