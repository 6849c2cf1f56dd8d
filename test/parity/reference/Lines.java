import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;

/** Reads a case per line and prints it with its answer, one per line; what goes wrong is printed as the field `refused` of the case. */
final class Lines {
  /** What a case is answered with: a case. */
  interface Answering {
    ObjectNode answer(ObjectNode given) throws Exception;
  }

  private Lines() {}

  static void answerAll(Answering answering) throws IOException {
    ObjectMapper json = new ObjectMapper();
    var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
    var answers = new PrintStream(System.out, true, StandardCharsets.UTF_8);
    for (String line = lines.readLine(); line != null; line = lines.readLine()) {
      if (line.isBlank()) continue;
      ObjectNode given = (ObjectNode) json.readTree(line);
      ObjectNode answer;
      try {
        answer = answering.answer(given.deepCopy());
      } catch (Exception | Error thrown) {
        answer = given;
        answer.put("refused", CaseRun.chain(thrown));
        thrown.printStackTrace();
      }
      answers.println(json.writeValueAsString(answer));
    }
  }
}
